import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { lifeId } from '../../src/ids/life-ids.ts';
import { lives } from '../../temporal/lives.ts';
import * as workflows from '../../workflows/index.ts';
import { failsAtOnce, unopenedSubscription } from '../replay/cases/failing.ts';
import { eventually } from '../support/eventually.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';
import { temporalServer, type TemporalServer } from './temporal-server.ts';

describe('Every kind of life', () => {
  for (const [kind, { workflow }] of Object.entries(lives)) {
    it(`${kind}: workflow, file and id bear its name`, () => {
      const name = kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      assert.equal(workflow.name, name);
      assert.equal(Object.entries(workflows).find(([, exported]) => exported === workflow)?.[0], name);
      assert(existsSync(new URL(`../../workflows/${kind}.ts`, import.meta.url)));
      assert.equal(lifeId[kind as keyof typeof lifeId]('x'), `${kind}:x`);
    });
  }
});

describe('A life whose step keeps failing', function () {
  this.timeout(180_000);
  let temporal: TemporalServer;
  let rig: Rig;
  before(async () => {
    // Some events more than three tries have.
    temporal = await temporalServer([
      'limit.historyCount.suggestContinueAsNew=50',
      'history.defaultWorkflowTaskTimeout="1s"',
    ]);
    await temporal.start();
    rig = await startRig({ temporalAddress: temporal.address });
    await rig.startDelivery();
  });
  after(async () => {
    await rig.stop();
    await temporal.remove();
  });

  it('pauses for longer and longer, continues as new, and goes on when the step succeeds', async () => {
    const worker = await rig.startWorker({ openSubscriptionCheckout: failsAtOnce });
    const life = await unopenedSubscription(rig);
    const { handle } = runOf(rig, life);
    const { runId } = await handle.describe();
    await eventually('another run', async () => (await handle.describe()).runId !== runId, { seconds: 90 });

    const { events } = await rig.temporal.client.workflow.getHandle(life, runId).fetchHistory();
    const pauses = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer?.startToFireTimeout?.seconds === undefined ? [] : [Number(timer.startToFireTimeout.seconds)],
    );
    assert(pauses.length >= 3, `too few tries: ${pauses.join()}`);
    assert.deepEqual(
      pauses,
      pauses.map((_, failure) => 2 ** failure),
    );
    const status = async (id: string) =>
      (await rig.temporal.client.workflow.getHandle(life, id).describe()).status.name;
    assert.equal(await status(runId), 'CONTINUED_AS_NEW');

    await worker.stop();
    await rig.startWorker();
    await runOf(rig, life).showing(/^Waits for the payment/);
  });
});
