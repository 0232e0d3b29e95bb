import assert from 'node:assert/strict';
import { createOutbound } from '../../src/outbound/index.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { codeRow, waitingCode } from '../notifications/destinations/waiting-code.ts';
import { hangs, startReceiver, type Receiver } from '../notifications/support/receiver.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { unique } from '../support/factories.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

describe('kill -9 of a worker that sends a code', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  /** Lets a world call this machine: codes for a webhook at `url`, and what becomes of them. */
  const codesOf = (world: World, url: string) => {
    Object.assign(world.settings, { OUTBOUND_ALLOW_LOOPBACK: 'true' });
    const { publicBaseUrl } = world.context.config;
    const context = { ...world.context, outbound: createOutbound({ allowLoopback: true, publicBaseUrl }) };
    return {
      newCode: async () => (await waitingCode({ context }, { channel: 'webhook', address: url })).codeId,
      /** @returns its outcome, once its life has ended */
      async ended(codeId: string) {
        await eventually(
          `the code ${codeId} to be over`,
          async () => !['waiting', 'sending'].includes((await codeRow(context, codeId)).status),
          { seconds: 120 },
        );
        await world.lives.client.workflow.getHandle(lifeId.verification(codeId)).result();
        return codeRow(context, codeId);
      },
    };
  };

  itBeside.inFull('during the call: it is unknown whether the code was sent, and it was sent once', () =>
    worlds.visit(async (world) => {
      const silent = await startReceiver(hangs);
      const { newCode, ended } = codesOf(world, silent.url);
      const dying = await world.worker();
      const codeId = await newCode();
      await eventually('the call', () => silent.calls.length > 0, { seconds: 60 });
      await dying.kill();
      await world.runHere('worker');
      const { status, sealed } = await ended(codeId);
      assert.deepEqual([status, sealed, silent.calls.length], ['unknown', null, 1]);
      await silent.stop();
    }),
  );

  for (const point of pointsOfSteps('advanceVerification', 'sendVerification')) {
    itBeside(`at ${point}: the code is sent once, or it is unknown whether it was`, () =>
      worlds.visit(async (world) => {
        const url = receiver.urlOf(unique('kill'));
        const { newCode, ended } = codesOf(world, url);
        const dying = await world.worker({ FAULT_AT: point });
        const codeId = await newCode();
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        const { status, sealed } = await ended(codeId);
        const requests = receiver.callsAt(url).length;
        assert.equal(sealed, null);
        if (point === 'sendVerification:started') assert.deepEqual([status, requests], ['unknown', 0]);
        else if (point === 'sendVerification:sent') assert.deepEqual([status, requests], ['unknown', 1]);
        else assert.deepEqual([status, requests], ['sent', 1]);
      }),
    );
  }
});
