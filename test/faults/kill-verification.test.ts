import assert from 'node:assert/strict';
import { createOutbound } from '../../src/outbound/index.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { codeRow, waitingCode } from '../notifications/destinations/waiting-code.ts';
import { startSink, type Sink } from '../notifications/sink.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { unique } from '../support/factories.ts';
import { pointsOfStep } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

describe('kill -9 of a worker that sends a code', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let sink: Sink;
  before(async () => {
    sink = await startSink();
  });
  after(() => sink.stop());

  for (const point of [...pointsOfStep('advanceVerification'), ...pointsOfStep('sendVerification')]) {
    itBeside(`at ${point}: the code is sent once, or it is unknown whether it was`, () =>
      worlds.visit(async (world) => {
        Object.assign(world.settings, { OUTBOUND_ALLOW_LOOPBACK: 'true' });
        const { publicBaseUrl } = world.context.config;
        const context = { ...world.context, outbound: createOutbound({ allowLoopback: true, publicBaseUrl }) };
        const dying = await world.worker({ FAULT_AT: point });
        const url = sink.url(unique('kill'));
        const { codeId } = await waitingCode({ context }, { channel: 'webhook', address: url });
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await eventually(
          `the code ${codeId} to be over`,
          async () => !['waiting', 'sending'].includes((await codeRow(context, codeId)).status),
          { seconds: 120 },
        );
        await world.lives.client.workflow.getHandle(lifeId.verification(codeId)).result();
        const { status, sealed } = await codeRow(context, codeId);
        const requests = sink.at(url).length;
        assert.equal(sealed, null);
        if (point === 'sendVerification:started') assert.deepEqual([status, requests], ['unknown', 0]);
        else if (point === 'sendVerification:sent') assert.deepEqual([status, requests], ['unknown', 1]);
        else assert.deepEqual([status, requests], ['sent', 1]);
      }),
    );
  }
});
