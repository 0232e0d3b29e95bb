import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

/** Work that is done by the calendar, by the ids of the schedules in Temporal. */
export const SCHEDULE_IDS = [
  'key-rotation',
  'log-witnessing',
  'monthly-payouts',
  'payment-events',
  'retention',
] as const;
export type ScheduleId = (typeof SCHEDULE_IDS)[number];

/** Apart from the tasks of every few seconds, one of which has the name of a schedule. */
const taskOf = (id: ScheduleId): string => `schedule ${id}`;

/** Notes that a run of the schedule has done all of its work, at this moment: the next round may begin immediately. */
export async function noteSchedule(connection: CommonQueryMethods, id: ScheduleId): Promise<void> {
  await connection.query(sql.type(z.object({}))`select take_round(${taskOf(id)}, 0)`);
}

const SucceededRow = z.object({ task: z.string(), at: z.number() });

/** In Prometheus' text format, as the database has it when it is asked; one that has never come to its end is absent. */
export async function scheduleMetrics({ pool }: { pool: CommonQueryMethods }): Promise<string> {
  const rows = await pool.any(sql.type(SucceededRow)`
    select task, extract(epoch from next_at)::float8 as at from rounds
    where task in (${sql.join(
      SCHEDULE_IDS.map((id) => sql.fragment`${taskOf(id)}`),
      sql.fragment`, `,
    )})`);
  const succeeded = new Map(rows.map(({ task, at }) => [task, at]));
  const lines = SCHEDULE_IDS.flatMap((id) => {
    const at = succeeded.get(taskOf(id));
    return at === undefined ? [] : [`carnet_schedule_succeeded_time_seconds{schedule="${id}"} ${at}\n`];
  });
  return `# HELP carnet_schedule_succeeded_time_seconds When a run of the schedule last did all of its work, Unix time
# TYPE carnet_schedule_succeeded_time_seconds gauge
${lines.join('')}`;
}
