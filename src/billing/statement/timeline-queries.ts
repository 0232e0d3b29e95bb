import { z } from 'zod';
import { json, textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { isNarrowed, olderThan, rowsRead, walletRows, type WalletRows } from './queries.ts';
import type { StatementFilters } from './schema.ts';
import { signedCents } from './transaction-text.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/**
 * Where a page of the timeline begins, as its cursor stores it. A model call stands after as many transfers as the
 * wallet had at that time, and calls are numbered one after another. So one position of each is enough to say what is
 * left to show.
 */
export interface TimelinePlace {
  snapshotAt: string;
  /** Cents debited of each of METERS when the first page was read: calls that begin below have a share in a debit. */
  debited: number[];
  /** Transfers from this position down, calls from this number down. */
  top: { position: number; call: number };
  /** Down to these, exclusive: `since` leaves out the rest. */
  floor: { position: number; call: number };
}

export interface TimelineRequest extends WalletRows {
  filters: StatementFilters;
  /** Null: the first page. */
  place: TimelinePlace | null;
}

/** Meters that model calls are charged to. */
const METERS = ['sealed_execution', 'llm_gateway', 'l3'];

const PageRow = z.object({
  snapshot_at: z.string(),
  debited: json.pipe(z.array(z.int())),
  floor: z.number(),
  floor_call: z.number(),
  next_top: z.number(),
  next_call: z.number(),
  more: z.boolean(),
  rows: z.string().nullable(),
});

/** One page: `rows` is JSON without its brackets; what is left begins at `next_top` and `next_call`. */
type TimelinePage = z.infer<typeof PageRow>;

/** One statement, one round trip: transfers and standalone calls, newest first, as they were at the snapshot. */
export const readTimelinePage = (connection: CommonQueryMethods, request: TimelineRequest): Promise<TimelinePage> =>
  connection.one(sql.type(PageRow)`
    with place as (${placeOf(request)}), page as (
      select entry.*, row_number() over (order by entry.position desc, entry.call desc) as nth
      from (${entriesOf(request)}) entry order by entry.position desc, entry.call desc ${rowsRead(request.limit)}
    )
    select place.snapshot_at, to_json(place.debited)::text as debited, place.floor, place.floor_call,
      coalesce(shown.last_position - 1, place.top) as next_top, coalesce(shown.last_call - 1, place.top_call) as next_call, shown.more, shown.rows
    from place, (
      select min(e.position) filter (where e.call = 0 and e.nth <= ${request.limit}) as last_position,
        min(e.call) filter (where e.call > 0 and e.nth <= ${request.limit}) as last_call, count(*) > ${request.limit} as more,
        string_agg(${entryText}, ',' order by e.nth) filter (where e.nth <= ${request.limit}) as rows
      from page e
    ) shown`);

/** Transfers are bounded by `top` and `floor`, calls by `top_call` and `floor_call`. */
function placeOf({ operatorId, filters: { since, until }, place }: TimelineRequest): Fragment {
  if (place !== null) {
    const { snapshotAt, debited, top, floor } = place;
    return sql.fragment`
      select ${snapshotAt} as snapshot_at, ${sql.array(debited, 'int8')} as debited, ${top.position}::bigint as top, ${top.call}::bigint as top_call,
        ${floor.position}::bigint as floor, ${floor.call}::bigint as floor_call`;
  }
  return sql.fragment`
    select iso_time(now()) as snapshot_at, ends.*,
      array(select coalesce(r.debited_cents, 0) from unnest(${textArray(METERS)}) with ordinality as meters (meter, nth)
        left join wallet_remainders r on r.operator_id = ${operatorId} and r.meter = meters.meter order by meters.nth) as debited
    from wallets w, lateral (
      select ${olderThan('transfers', { operatorId, at: until, otherwise: sql.fragment`w.last_position` })} as top,
        ${olderThan('calls', { operatorId, at: until, otherwise: sql.fragment`w.last_call` })} as top_call,
        ${olderThan('transfers', { operatorId, at: since, otherwise: sql.fragment`0::bigint` })} as floor,
        ${olderThan('calls', { operatorId, at: since, otherwise: sql.fragment`0::bigint` })} as floor_call
      offset 0
    ) ends
    where w.operator_id = ${operatorId}`;
}

function entriesOf(request: TimelineRequest): Fragment {
  const { entry_kind: kind } = request.filters;
  if (isNarrowed(request.filters)) return kind === 'llm' ? noEntry : transfersOf(request);
  if (kind === 'wallet') return transfersOf(request);
  if (kind === 'llm') return callsOf(request);
  return sql.fragment`(${transfersOf(request)}) union all (${callsOf(request)})`;
}

const transfer = sql.fragment`
  t.position, 0::bigint as call, t.id, t.created_at, t.kind as what, ${signedCents} as amount,
  null::text as provider, null::text as model, null::bigint as total_tokens, null::text as price_state`;

const transfersOf = (request: TimelineRequest): Fragment => sql.fragment`
  select ${transfer} from (${walletRows(request)}) t order by t.position desc ${rowsRead(request.limit)}`;

/** Model calls have neither a type nor a direction. */
const noEntry = sql.fragment`select ${transfer} from transfers t where false`;

const call = sql.fragment`
  c.position, c.call, c.id, c.created_at, c.operation as what,
  case c.price_state when 'wallet_price' then c.microcents when 'covered' then c.cost_microcents end as amount,
  c.provider, c.model, c.total_tokens, c.price_state`;

const within = sql.fragment`c.call <= (select top_call from place) and c.call > (select floor_call from place)`;

/**
 * Calls of which no part was debited at the snapshot: those that were not charged, and of each meter those that begin
 * at or after the cents debited by then. In the stream of a meter calls stand in the order of the timeline, so the
 * first of these bounds the rest.
 */
const callsOf = ({ operatorId, limit }: TimelineRequest): Fragment => {
  const newest = sql.fragment`order by c.call desc ${rowsRead(limit)}`;
  return sql.fragment`
    (select ${call} from model_calls c where c.operator_id = ${operatorId} and c.meter is null and ${within} ${newest})
    union all
    (select c.* from unnest(${textArray(METERS)}, (select debited from place)) as meters (meter, debited_cents)
      cross join lateral (
        select b.call from model_calls b
        where b.operator_id = ${operatorId} and b.meter = meters.meter and b.begins_microcents >= meters.debited_cents * 1000000
        order by b.begins_microcents limit 1
      ) first
      cross join lateral (
        select ${call} from model_calls c
        where c.operator_id = ${operatorId} and c.meter = meters.meter and c.call >= first.call and ${within} ${newest}
      ) c)`;
};

const entryText = sql.fragment`
  case when e.call = 0
    then '{"kind":"wallet_transaction","transaction":{"id":"' || e.id || '","type":"' || e.what || '","amount_cents":' || e.amount
      || ',"amount_microcents":' || e.amount * 1000000 || ',"created_at":"' || iso_time(e.created_at) || '"}}'
    else '{"kind":"llm_call","call":{"id":"' || e.id || '","operation":' || to_json(e.what)::text || ',"provider":' || to_json(e.provider)::text
      || ',"model":' || to_json(e.model)::text || ',"total_tokens":' || e.total_tokens || ',"price":{"state":"' || e.price_state
      || '","amount_microcents":' || coalesce(e.amount::text, 'null') || '},"created_at":"' || iso_time(e.created_at) || '"}}'
  end`;
