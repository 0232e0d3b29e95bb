import { openPayouts } from '../src/billing/payouts/life.ts';
import { sql } from '../src/database/pool.ts';
import { PAYOUTS } from '../temporal/schedules.ts';
import { TaskQueue } from '../temporal/task-queues.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { monthlyPayouts } from '../workflows/index.ts';
import { newPublisher, type Publisher } from '../test/billing/payouts/publishers.ts';
import { runOf, type Run } from '../test/temporal/runs.ts';
import type { Rig } from '../test/temporal/rig.ts';

const MONTH = '2020-01';

/** What becomes of a payout; `state` makes the statement of its month. */
const payout: Record<string, (rig: Rig, of: Publisher, state: () => Promise<Run>) => Promise<Run>> = {
  paid: (_rig, _of, state) => state(),
  refused: async (rig, { id }, state) => {
    // A key that stands for another request is refused for good.
    await rig.context.pool.query(
      sql.unsafe`insert into local_calls (key, request) values (${`payout:${id}:${MONTH}`}, '{}')`,
    );
    return state();
  },
  'waited-for-a-provider': async (rig, _of, state) => {
    const run = await withoutProvider(rig, state);
    await run.handle.cancel();
    await run.handle.signal('nonsense');
    await run.saying(/Refused signal nonsense/);
    await run.handle.signal('wake');
    return run;
  },
  'carried-over': (rig, _of, state) =>
    withoutProvider(rig, async () => {
      const run = await state();
      await run.saying(/^Waits/);
      await openPayouts(rig.context, { month: '2020-02', after: '' });
      await run.ended();
      return run;
    }),
};

/** Payouts and a run of their schedule, to their ends, by the names of their histories. */
export async function playPayouts(rig: Rig): Promise<[name: string, run: Run][]> {
  const played: [string, Run][] = [];
  for (const [name, play] of Object.entries(payout)) {
    const publisher = await newPublisher(rig.context.pool);
    await publisher.earn(2_000, '2020-01-10');
    const run = await play(rig, publisher, async () => {
      await openPayouts(rig.context, { month: MONTH, after: '' });
      return runOf(rig, lifeId.payout(`${publisher.id}:${MONTH}`));
    });
    await run.ended();
    played.push([`payout/${name}`, run]);
  }
  const workflowId = `${PAYOUTS}:stated`;
  await rig.temporal.client.workflow.execute(monthlyPayouts, { workflowId, taskQueue: TaskQueue.lives });
  played.push(['monthlyPayouts/stated', runOf(rig, workflowId)]);
  return played;
}

/** Until `play` has come to a payout that waits for a provider. */
async function withoutProvider(rig: Rig, play: () => Promise<Run>): Promise<Run> {
  const { payments } = rig.config;
  rig.config.payments = undefined;
  try {
    const run = await play();
    await run.saying(/^(Waits|Ended)/);
    return run;
  } finally {
    rig.config.payments = payments;
  }
}
