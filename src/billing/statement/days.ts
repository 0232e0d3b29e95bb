import type { z } from 'zod';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { DaysSchema } from './schema.ts';
import { signedCents } from './transaction-text.ts';

/** Days that are summed, today among them. */
export const DAYS = 30;

const Row = DaysSchema.extend({ sums: json.pipe(DaysSchema.shape.sums) });

/** Rows that are read at most: 2,000 blocks where rows of other wallets lie between them. A constant, as in `rowsRead` of the statement. */
const mostRows = sql.fragment`5000`;

/**
 * The sums that moved in a wallet, by day and type. A constant bounds the rows that are read, so the cost does not grow with the wallet:
 * positions are dense and follow the times, so they say without a count whether that is all.
 */
export const readDays = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<z.infer<typeof DaysSchema>> =>
  connection.one(sql.type(Row)`
    with place as (
      select w.last_position as top, first.day, count_transfers_before(${operatorId}, first.day) as floor
      from wallets w, (select (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${DAYS - 1})) at time zone 'UTC' as day) first
      where w.operator_id = ${operatorId}
    ), newest as (
      select t.kind, t.created_at, ${signedCents} as cents from transfers t
      where t.wallet = ${operatorId} and t.position <= (select top from place) and t.position > (select floor from place)
      order by t.position desc limit ${mostRows}
    )
    select place.top - place.floor <= ${mostRows} as complete,
      iso_time(case when place.top - place.floor <= ${mostRows} then place.day else (select min(created_at) from newest) end) as since,
      coalesce((
        select json_agg(json_build_object('day', d.day, 'type', d.kind, 'in_cents', d.credited, 'out_cents', d.debited) order by d.day, d.kind)
        from (
          select (created_at at time zone 'UTC')::date as day, kind,
            coalesce(sum(cents) filter (where cents > 0), 0) as credited, coalesce(-sum(cents) filter (where cents < 0), 0) as debited
          from newest group by 1, 2) d), '[]')::text as sums
    from place`);
