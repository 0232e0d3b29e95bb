import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { AuditEventSchema, type AuditEvent, type AuditFilters } from './schema.ts';

const columns = sql.fragment`id, actor, action, target, detail, request_id, created_at`;

/**
 * Events that one page looks through where it filters: there is no index for each filter, since every command writes the table, and a page is
 * to take a few milliseconds no matter how many rows the filter fits.
 */
const SEARCHED = 5_000;

interface Search {
  /** The id of the last event that the page before has looked at; null on the first page. */
  before: number | null;
  limit: number;
  filters?: AuditFilters;
}

const WindowRow = z.object({ events: z.number(), last: z.number().nullable() });

/**
 * Events of a page of the trail, newest first, up to `limit`; and which was looked at last where there are filters and the trail goes on.
 */
export async function listAuditEvents(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, limit, filters: { actor, action, target } = {} }: Search,
): Promise<{ events: readonly AuditEvent[]; searchedTo: number | null }> {
  const isFiltered = actor !== undefined || action !== undefined || target !== undefined;
  const newest = (selected: typeof columns, count: number) => {
    const page = sql.fragment`
      where operator_id = ${operatorId} and (${before}::bigint is null or id < ${before})
      order by id desc limit ${count}`;
    return sql.fragment`
      (select ${selected} from audit_events ${page}) union all (select ${selected} from kept_audit_events ${page})
      order by id desc limit ${count}`;
  };
  const events = await connection.any(sql.type(AuditEventSchema)`
    select ${columns} from (${newest(columns, isFiltered ? SEARCHED : limit)}) searched
    where (${actor ?? null}::text is null or actor = ${actor ?? null})
      and (${action ?? null}::text is null or starts_with(action, ${action ?? null}))
      and (${target ?? null}::text is null or target = ${target ?? null})
    order by id desc limit ${limit}`);
  if (!isFiltered || events.length === limit) return { events, searchedTo: null };
  const searched = await connection.one(sql.type(WindowRow)`
    select count(*)::int as events, min(id) as last from (${newest(sql.fragment`id`, SEARCHED)}) searched`);
  return { events, searchedTo: searched.events < SEARCHED ? null : searched.last };
}
