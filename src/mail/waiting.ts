import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

const WaitingRow = z.object({ waiting: z.number(), seconds: z.number() });

/** In Prometheus' text format, as the database has it when it is asked, by an index of those that wait alone. */
export async function mailMetrics({ pool }: { pool: CommonQueryMethods }): Promise<string> {
  const { waiting, seconds } = await pool.one(sql.type(WaitingRow)`
    select count(*) as waiting, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
    from (select created_at from mails where status = 'waiting' order by look_at limit 100000) waiting`);
  return `# HELP carnet_mails_waiting Mails that are to be handed to the mail server, 100,000 at most
# TYPE carnet_mails_waiting gauge
carnet_mails_waiting ${waiting}
# HELP carnet_mails_oldest_seconds Seconds for which the oldest of them has waited
# TYPE carnet_mails_oldest_seconds gauge
carnet_mails_oldest_seconds ${seconds.toFixed(3)}
`;
}
