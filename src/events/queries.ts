import { z } from 'zod';
import { json, textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { jsonObject } from '../fields/objects.ts';
import type { OperatorId } from '../ids/ids.ts';
import { ServiceEventSchema } from './schema.ts';
import { eventTypesOf, type EventFilterSchema, type Severity } from './types.ts';

const Place = z.object({
  /** The transaction that recorded the event. */
  tx: z.string().regex(/^\d{1,20}$/),
  /** The number of the event. */
  seq: z.int(),
});
/** The place of an event in the order of the feed. */
export type Place = z.infer<typeof Place>;

export interface FeedFilters {
  event_type?: z.infer<typeof EventFilterSchema> | undefined;
  severity?: Severity | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
}

/** The order in which events are read: as they may be read, or the other way round. */
export const FeedOrderSchema = z.enum(['oldest', 'newest']);
export type FeedOrder = z.infer<typeof FeedOrderSchema>;

/** The place before all events, in each order. A transaction has eight bytes. */
export const beforeAll: Readonly<Record<FeedOrder, Place>> = {
  oldest: { tx: '0', seq: 0 },
  newest: { tx: '18446744073709551615', seq: Number.MAX_SAFE_INTEGER },
};

interface FeedStretch {
  order: FeedOrder;
  after: Place;
  /** Most events that are looked at, and most that are found. */
  look: number;
  limit: number;
  filters: FeedFilters;
}

const StretchRow = z.object({
  looked: z.number(),
  end: Place.nullable(),
  found: z.array(Place),
});
/** How many events were looked at, the place of the last of them, and those that fit. */
type Stretch = z.infer<typeof StretchRow>;

/** No transaction that records events lasts as long; far more than a command may take. */
const MAX_TRANSACTION = '1 hour';

/**
 * Looks through events of an operator in the order of (transaction, number), which is also that in which they may be read: an event of a
 * transaction that began later than another which is still at work would come after it, so it waits for that one. What was restored from
 * another copy of the database (its transaction is still to come in this one) counts as older than everything here. The other way round it is
 * the same order from its end.
 */
export const lookThroughFeed = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { order, after: { tx, seq }, look, limit, filters }: FeedStretch,
): Promise<Stretch> => {
  const { event_type: name, severity = null, since = null } = filters;
  const ofType =
    name === undefined ? sql.fragment`true` : sql.fragment`event_type = any(${textArray(eventTypesOf(name))})`;
  const moment = sql.fragment`to_timestamp(${since}::float8 / 1000)`;
  // By the index on time: where to begin to look in the order of the feed.
  const earliest = sql.fragment`
    coalesce((select e.tx from service_events e
      where e.created_at < ${moment} - ${MAX_TRANSACTION}::interval and e.tx < pg_snapshot_xmax(pg_current_snapshot())
      order by e.created_at desc limit 1), '0')`;
  const [way, back, further] =
    order === 'oldest'
      ? [sql.fragment`asc`, sql.fragment`desc`, sql.fragment`>`]
      : [sql.fragment`desc`, sql.fragment`asc`, sql.fragment`<`];
  const within =
    order === 'oldest'
      ? sql.fragment`(tx, seq) > ((select tx from start), (select seq from start))`
      : sql.fragment`(tx, seq) < (${tx}::xid8, ${seq}::bigint) and tx >= (select tx from earliest)`;
  return connection.one(sql.type(StretchRow)`
    with earliest as (
      select ${earliest} as tx
    ), start as (
      select greatest(${tx}::xid8, tx) as tx, case when tx > ${tx}::xid8 then 0 else ${seq}::bigint end as seq from earliest
    ), looked as (
      select * from (
        (select seq, '0'::xid8 as place, event_type, severity, created_at from service_events
          where operator_id = ${operatorId} and tx >= pg_snapshot_xmax(pg_current_snapshot())
            and ('0'::xid8, seq) ${further} (${tx}::xid8, ${seq}::bigint)
          order by seq ${way} limit ${look})
        union all
        (select seq, tx, event_type, severity, created_at from service_events
          where operator_id = ${operatorId} and tx < pg_snapshot_xmin(pg_current_snapshot()) and ${within}
          order by tx ${way}, seq ${way} limit ${look})
      ) both_parts
      order by place ${way}, seq ${way} limit ${look}
    ), found as (
      select seq, place from looked
      where ${ofType}
        and (${severity}::text is null or severity = ${severity})
        and (${since}::float8 is null or created_at >= ${moment})
      order by place ${way}, seq ${way} limit ${limit}
    )
    select (select count(*) from looked) as looked,
      (select json_build_object('tx', place::text, 'seq', seq) from looked order by place ${back}, seq ${back} limit 1) as "end",
      coalesce((select json_agg(json_build_object('tx', place::text, 'seq', seq) order by place ${way}, seq ${way}) from found), '[]') as found`);
};

const EventRow = ServiceEventSchema.extend({ payload: json.pipe(jsonObject), seq: z.number() });
export type FeedEvent = z.output<typeof EventRow>;

/** Those that are still there, in no order. */
export const readEvents = (connection: CommonQueryMethods, numbers: readonly number[]): Promise<readonly FeedEvent[]> =>
  connection.any(sql.type(EventRow)`
    select id, event_type, severity, payload, created_at as "timestamp", seq from service_events
    where seq = any(${sql.array(numbers, 'int8')})`);

/** An event of the operator; null where there is none. */
export const findEvent = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<FeedEvent | null> =>
  connection.maybeOne(sql.type(EventRow)`
    select id, event_type, severity, payload, created_at as "timestamp", seq from service_events
    where id = ${id} and operator_id = ${operatorId}`);

/** Which copy of the database this is. */
export const databaseCopy = (connection: CommonQueryMethods): Promise<string> =>
  connection.oneFirst(sql.type(z.object({ copy: z.string() }))`select database_copy() as copy`);

/**
 * Where a reader of the feed has come to. `copy`: the copy of the database that the numbers are of; `since`: where their first page began, in
 * milliseconds since 1970, null: with the oldest event.
 */
export const FeedPosition = Place.extend({ copy: z.string(), since: z.number().nullable() });
export type FeedPosition = z.infer<typeof FeedPosition>;
