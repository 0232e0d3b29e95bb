import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { openMarket, type Market } from '../support/market.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfLives, pointsOfSteps, stepOf, stepsKilled } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

describe('kill -9 of a worker', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  /** An invocation whose deadline is over before the first step of its life, which therefore expires it. */
  const overdue = async ({ context }: World, market: Market): Promise<string> => {
    const id = await market.pending();
    await context.pool.query(sql.unsafe`update invocations set expires_at = clock_timestamp() where id = ${id}`);
    return id;
  };
  /**
   * An invocation that is claimed and completed by signals from outside, the steps in which the worker acts for an
   * operator.
   */
  const signalled = async ({ lives }: World, market: Market): Promise<string> => {
    const id = await market.pending();
    const run = lives.client.workflow.getHandle(lifeId.invocation(id));
    await eventually('the life to take a signal', () => run.signal('claim').then(() => true), {
      seconds: 60,
      ignoreErrors: () => true,
    });
    await run.signal('complete', { output: { text: 'HELLO' } });
    return id;
  };

  const cases = [
    ...pointsOfSteps('advanceInvocation').map((point) => ({ point, provoke: overdue, ends: 'expired' })),
    ...pointsOfSteps('actOnSignal').map((point) => ({ point, provoke: signalled, ends: 'completed' })),
  ];

  it('is tried at the points of every step that a life has, in this test or in another of this folder', () => {
    assert.deepEqual(stepsKilled(), new Set(pointsOfLives().map(stepOf)));
  });

  for (const { point, provoke, ends } of cases) {
    itBeside(
      `at ${point}: the next worker brings the life to the same end, once; no cent is held back and none given twice`,
      () =>
        worlds.visit(async (world) => {
          const {
            context: { pool },
            lives,
          } = world;
          const market = await openMarket(await world.serve());
          const dying = await world.worker({ FAULT_AT: point });
          const id = await provoke(world, market);
          assert.equal(await dying.ended, 'SIGKILL');

          await world.runHere('worker');
          await eventually('the end of the invocation', async () => (await market.show(id)).status === ends, {
            seconds: 60,
          });
          await settled(pool, [id]);
          await lives.closed([id]);
          await assertInvariants(pool, [id]);
          const { balance_cents: balance, held_cents: held } = await market.balance();
          assert.deepEqual(
            { balance, held },
            { balance: ends === 'completed' ? 10_000 - market.price : 10_000, held: 0 },
          );
        }),
    );
  }
});
