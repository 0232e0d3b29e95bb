import assert from 'node:assert/strict';
import type { ScheduleHandle } from '@temporalio/client';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { ensureSchedules, MONTHLY_PAYOUTS } from '../../../temporal/schedules.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf } from '../../temporal/runs.ts';
import { eachWithinOneMonth } from '../metering/counters.ts';
import { newPublisher } from './publishers.ts';

const Stated = z.object({ month: z.string(), status: z.string(), payouts: z.number() });

describe('The schedule of the payouts', () => {
  let rig: Rig;
  let schedule: ScheduleHandle;
  before(async () => {
    rig = await startRig();
    await rig.startDelivery();
    await rig.startWorker();
    schedule = rig.temporal.client.schedule.getHandle(MONTHLY_PAYOUTS);
    await eventually('the schedule to be there', () => schedule.describe(), { ignoreErrors: () => true });
    await schedule.pause('only the tests trigger it'); // of which one may run on the first of a month at 03:00
  });
  eachWithinOneMonth();
  after(() => rig.stop());

  /** The month before this one, by the clock of the database. */
  const monthBefore = (): Promise<string> =>
    rig.context.pool.oneFirst(sql.type(z.object({ month: z.string() }))`
      select to_char(date_trunc('month', now() at time zone 'UTC') - interval '1 month', 'YYYY-MM') as month`);
  /** Triggers the schedule and waits for the end of the run. @returns its workflow id */
  const triggered = async (): Promise<string> => {
    const before = (await schedule.describe()).info.recentActions.length;
    await schedule.trigger();
    const started = await eventually('a run of the schedule', async () => {
      const actions = (await schedule.describe()).info.recentActions;
      const last = actions.at(-1);
      return actions.length > before && last?.action.type === 'startWorkflow' && last.action.workflow.workflowId;
    });
    await rig.temporal.client.workflow.getHandle(started).result();
    return started;
  };

  it('runs on the first of each month at 03:00 UTC, and catches up on a missed run', async () => {
    const { spec, policies, action, info } = await schedule.describe();
    assert.deepEqual(
      spec.calendars?.map(({ dayOfMonth, hour, minute, second }) => ({ dayOfMonth, hour, minute, second })),
      [
        {
          dayOfMonth: [{ start: 1, end: 1, step: 1 }],
          hour: [{ start: 3, end: 3, step: 1 }],
          minute: [{ start: 0, end: 0, step: 1 }],
          second: [{ start: 0, end: 0, step: 1 }],
        },
      ],
    );
    assert.deepEqual(
      [policies.overlap, policies.catchupWindow, action.workflowType],
      ['SKIP', 30 * 86_400_000, 'monthlyPayouts'],
    );
    for (const next of info.nextActionTimes.slice(0, 3)) assert.match(next.toISOString(), /-01T03:00:00\.000Z$/);
  });

  it('stays as it is when other workers start', async () => {
    await schedule.pause('by a person');
    await ensureSchedules(rig.temporal.client.schedule, rig.config);
    const { paused, note } = (await schedule.describe()).state;
    assert.deepEqual([paused, note], [true, 'by a person']);
  });

  it('pays what was earned up to the end of the month before, once however often it is triggered', async () => {
    const one = await newPublisher(rig.context.pool);
    await one.earn(2_000, '2020-01-10');
    await one.earn(9_000, new Date().toISOString());
    const month = await monthBefore();
    const workflowId = await triggered();
    assert(workflowId.startsWith(`${MONTHLY_PAYOUTS}-`), 'the schedule appends the time');
    await runOf(rig, workflowId).showing(new RegExp(`^Statements of ${month}: 1, of which 1 are to be paid out\\.$`));
    await runOf(rig, lifeId.payout(`${one.id}:${month}`)).ended();
    assert.deepEqual([(await one.payout(month))?.status, await one.earnings()], ['paid', 9_000]);
    await runOf(rig, await triggered()).showing(new RegExp(`^Statements of ${month}: 0, `));
    assert.deepEqual(await one.moved(), { payout: 2_000 });
  });

  it('makes statements for every operator, in batches', async () => {
    // More than one batch of 200.
    const many = await Promise.all(
      Array.from({ length: 201 }, () => newPublisher(rig.context.pool, { account: null })),
    );
    await Promise.all(many.map((one) => one.earn(5_000, '2020-01-10')));
    await triggered();
    const stated = await rig.context.pool.any(sql.type(Stated)`
      select month, status, count(*)::int as payouts from payouts
      where operator_id = any(${sql.array(
        many.map(({ id }) => id),
        'text',
      )}) group by month, status`);
    assert.deepEqual(stated, [{ month: await monthBefore(), status: 'pending_account', payouts: 201 }]);
  });
});
