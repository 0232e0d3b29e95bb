import { z } from 'zod';
import { json } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { jsonObject } from '../fields/objects.ts';
import type { OperatorId } from '../ids/ids.ts';
import { ServiceEventSchema } from './schema.ts';
import type { Severity } from './types.ts';

/** Where a reader of the feed has come to. */
export const FeedPosition = z.object({
  /** The copy of the database that the numbers are of. */
  copy: z.string(),
  /** Of the last event that was read: its transaction and its number. */
  tx: z.string().regex(/^\d{1,20}$/),
  seq: z.int(),
});
export type FeedPosition = z.infer<typeof FeedPosition>;

const FeedRow = ServiceEventSchema.extend({ payload: json.pipe(jsonObject), tx: z.string(), seq: z.number() });
export type FeedEvent = z.output<typeof FeedRow>;

interface FeedPage {
  after: Pick<FeedPosition, 'tx' | 'seq'>;
  limit: number;
  filters: { event_type?: string | undefined; severity?: Severity | undefined; since?: number | undefined };
}

/** No transaction that records events lasts as long; far more than a command may take. */
const LONGEST_TRANSACTION = '1 hour';

/**
 * Events of an operator in the order of (tx, seq), which is also that in which they may be read: one of a transaction that began later than
 * another that is still at work comes after it, so it waits for that one. What was restored from another copy of the database (the id of
 * its transaction is still to come in this one) counts as older than everything here.
 */
export const readFeed = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { after: { tx, seq }, limit, filters }: FeedPage,
): Promise<readonly FeedEvent[]> => {
  const { event_type: type = null, severity = null, since = null } = filters;
  const wanted = sql.fragment`
    operator_id = ${operatorId}
      and (${type}::text is null or event_type = ${type})
      and (${severity}::text is null or severity = ${severity})
      and (${since}::float8 is null or created_at >= to_timestamp(${since}::float8 / 1000))`;
  // By the index on time: where to begin to look in the order of the feed.
  const earliest = sql.fragment`
    coalesce((select e.tx from service_events e
      where e.created_at < to_timestamp(${since}::float8 / 1000) - ${LONGEST_TRANSACTION}::interval
        and e.tx < pg_snapshot_xmax(pg_current_snapshot())
      order by e.created_at desc limit 1), '0')`;
  return connection.any(sql.type(FeedRow)`
    select id, event_type, severity, payload, created_at as "timestamp", place::text as tx, seq
    from (
      (select *, '0'::xid8 as place from service_events
        where ${wanted} and tx >= pg_snapshot_xmax(pg_current_snapshot()) and ('0'::xid8, seq) > (${tx}::xid8, ${seq}::bigint)
        order by seq limit ${limit})
      union all
      (select *, tx as place from service_events
        where ${wanted} and tx < pg_snapshot_xmin(pg_current_snapshot()) and (tx, seq) > (${tx}::xid8, ${seq}::bigint)
          and tx >= ${earliest}
        order by tx, seq limit ${limit})
    ) page
    order by place, seq limit ${limit}`);
};

/** Which copy of the database this is. */
export const databaseCopy = (connection: CommonQueryMethods): Promise<string> =>
  connection.oneFirst(sql.type(z.object({ copy: z.string() }))`select database_copy() as copy`);
