import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { MONTHLY_PAYOUTS } from '../../temporal/schedules.ts';
import { newPublisher, type Publisher } from '../billing/payouts/publishers.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const Payout = z.object({ month: z.string(), status: z.string(), gross_cents: z.number(), net_cents: z.number() });
const Cents = z.object({ amount_cents: z.number() });

describe('kill -9 of a worker that makes payouts', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  /** Triggers the schedule of the first of the month. */
  const trigger = async ({ lives }: World): Promise<void> => {
    const schedule = lives.client.schedule.getHandle(MONTHLY_PAYOUTS);
    await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), {
      ignoreErrors: () => true,
    });
  };
  const payoutsOf = ({ context }: World, { id }: Publisher) =>
    context.pool.any(
      sql.type(Payout)`select month, status, gross_cents, net_cents from payouts where operator_id = ${id}`,
    );
  /** The cents that the payment provider has transferred to the operator. */
  const received = ({ context }: World, { id }: Publisher) =>
    context.pool.any(sql.type(Cents)`select amount_cents from local_transfers where operator_id = ${id}`);

  for (const point of pointsOfSteps('openPayouts', 'advancePayout', 'transferPayout')) {
    itBeside(`at ${point}: the next worker states the month, and transfers it once`, () =>
      worlds.visit(async (world) => {
        const { pool } = world.context;
        const publisher = await newPublisher(pool, { commissionBps: 1_000 });
        await publisher.earn(2_005, '2020-01-10');
        const dying = await world.worker({ FAULT_AT: point });
        await trigger(world);
        assert.equal(await dying.ended, 'SIGKILL');
        await assertLedger(pool);

        await world.runHere('worker');
        await eventually(
          'the payout to be paid',
          async () => (await payoutsOf(world, publisher))[0]?.status === 'paid',
          { seconds: 120 },
        );
        const [payout, ...others] = await payoutsOf(world, publisher);
        assert.deepEqual([payout?.gross_cents, payout?.net_cents, others], [2_005, 1_805, []]);
        await world.lives.client.workflow.getHandle(`payout:${publisher.id}:${payout?.month}`).result();
        assert.deepEqual(await received(world, publisher), [{ amount_cents: 1_805 }]);
        assert.deepEqual(
          [await publisher.earnings(), await publisher.moved()],
          [0, { payout: 1_805, commission: 200 }],
        );
        await assertLedger(pool);
      }),
    );
  }
});
