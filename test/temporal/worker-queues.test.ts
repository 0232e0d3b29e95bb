import assert from 'node:assert/strict';
import { newWallet } from '../billing/ledger/ledger-world.ts';
import { worldsOfSuite } from '../faults/worlds.ts';
import { scriptStep, worldOn } from '../invocations/execution/execution-world.ts';
import { eventually } from '../support/eventually.ts';

describe('WORKER_QUEUES', function () {
  this.timeout(120_000);
  const worlds = worldsOfSuite();

  it('keeps the code of strangers on the workers that are there for it', () =>
    worlds.visit(async (world) => {
      const { pool } = world.context;
      const execution = worldOn(world.context);
      const skill = await execution.publish(await newWallet(pool), { price: 5, steps: [scriptStep(), scriptStep()] });
      const id = await execution.invoke(await newWallet(pool, 100), skill);
      await world.worker({ WORKER_QUEUES: 'others' });
      const run = world.lives.client.workflow.getHandle(`invocation:${id}`);
      const waiting = async (): Promise<(number | null | undefined)[]> =>
        ((await run.describe()).raw.pendingActivities ?? []).map(({ state }) => state);
      const SCHEDULED = 1; // nobody has taken it
      const states = await eventually(
        'the first step to wait for a worker',
        async () => {
          const found = await waiting();
          return found.length > 0 && found;
        },
        { seconds: 60, ignoreErrors: () => true },
      );
      assert.deepEqual(states, [SCHEDULED]);
      assert.equal((await execution.show(id)).status, 'processing');
      await world.worker({ WORKER_QUEUES: 'sealed' });
      await eventually('the execution to end', async () => (await execution.show(id)).status === 'completed', {
        seconds: 60,
      });
    }));
});
