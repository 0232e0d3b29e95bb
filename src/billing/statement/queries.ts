import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import type { TransactionType } from '../wallet/schema.ts';
import { ROWS_COUNTED, type StatementFilters } from './schema.ts';
import { pageOfSources, signedCents, sourcesCount, transactionText } from './transaction-text.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/**
 * Where a page of wallet rows begins, as its cursor stores it. Positions are dense and never change, so a place is a
 * snapshot too: later rows have higher positions.
 */
export interface StatementPlace {
  /** Rows from this position down. */
  top: number;
  /** Down to this position, exclusive: `since` leaves out the rest. */
  floor: number;
  /** Rows under the filters when the first page was read; the cursor carries the number, so that it is counted once. */
  total: number;
}

/** Which wallet rows to read. */
export interface WalletRows {
  operatorId: OperatorId;
  filters: Pick<StatementFilters, 'type' | 'direction' | 'since' | 'until'>;
  limit: number;
}

export interface StatementRequest extends WalletRows {
  /** Null: the first page. */
  place: StatementPlace | null;
}

const PageRow = z.object({
  top: z.number(),
  floor: z.number(),
  total: z.number(),
  last: z.number().nullable(),
  more: z.boolean(),
  content: z.string().nullable(),
  encrypted_receipts: z.string().nullable(),
  owed: z.number(),
  remainders: z.string().nullable(),
});

/**
 * One page: `content` is the rows joined, `last` the position of the last of them, `more` whether there are any below
 * it; `owed` are the cents of the wallet's open receivables now; `remainders` is JSON, null on later pages.
 */
type StatementPage = z.infer<typeof PageRow>;

/** How rows are written and joined; the fragments see the transfer as `t`. */
export interface StatementForm {
  text: Fragment;
  separator: string;
  /**
   * How many sources the text has. A page ends with the row that brings their sum to `pageOfSources`, regardless of its
   * limit.
   */
  sources: Fragment;
  /** Whether the first page has what no debit has taken yet. */
  remainders: boolean;
}

export const JSON_FORM: StatementForm = {
  text: transactionText,
  separator: ',',
  sources: sourcesCount,
  remainders: true,
};

/** One statement, one round trip: a page of the wallet's rows under the filters, newest first. */
export const readStatementPage = (
  connection: CommonQueryMethods,
  request: StatementRequest,
  { text, separator, sources, remainders }: StatementForm,
): Promise<StatementPage> => {
  const { operatorId, limit } = request;
  return connection.one(sql.type(PageRow)`
    with place as (${placeOf(request)}), page as (
      select t.*, row_number() over (order by t.position desc) as nth
      from (${walletRows(request)}) t order by t.position desc ${rowsRead(limit)}
    )
    select place.top, place.floor, place.total, shown.last, shown.more, shown.content, shown.encrypted_receipts,
      (select receivable_cents from wallets where operator_id = ${operatorId}) as owed,
      ${remainders && request.place === null ? sql.fragment`remainders_text(${operatorId})` : sql.fragment`null`} as remainders
    from place, (
      select min(t.position) filter (where t.fits) as last, coalesce(not bool_and(t.fits), false) as more,
        string_agg(${text}, ${separator} order by t.nth) filter (where t.fits) as content,
        (select json_object_agg(p.transaction_id, json_build_object('id', p.id, 'sealed', p.receipt_url))::text
          from page b join top_ups p on p.transaction_id = b.id
          where b.kind = 'topup' and b.nth <= ${limit} and p.receipt_url is not null and b.wallet = ${operatorId}) as encrypted_receipts
      from (
        select t.*, t.nth <= ${limit} and coalesce(sum(${sources}) over before, 0) < ${pageOfSources} as fits
        from page t window before as (order by t.nth rows between unbounded preceding and 1 preceding)) t
    ) shown`);
};

/**
 * Rows that Postgres reads: one more than a page may have. A constant, so that Postgres keeps one plan for all pages;
 * with a parameter it would plan each page again, which costs as much as the page.
 */
export const rowsRead = (limit: number): Fragment =>
  limit <= 50 ? sql.fragment`limit 51` : limit <= 200 ? sql.fragment`limit 201` : sql.fragment`limit 2001`;

const instant = (milliseconds: number): Fragment =>
  sql.fragment`to_timestamp(${milliseconds}::double precision / 1000)`;

/** How many of a wallet's transfers, or model calls, are older than `at`; `otherwise` where no instant was given. */
export function olderThan(
  what: 'transfers' | 'calls',
  { operatorId, at, otherwise }: { operatorId: OperatorId; at: number | undefined; otherwise: Fragment },
): Fragment {
  if (at === undefined) return otherwise;
  return what === 'transfers'
    ? sql.fragment`count_transfers_before(${operatorId}, ${instant(at)})`
    : sql.fragment`count_calls_before(${operatorId}, ${instant(at)})`;
}

function placeOf({ operatorId, filters, place }: StatementRequest): Fragment {
  if (place !== null) {
    return sql.fragment`select ${place.top}::bigint as top, ${place.floor}::bigint as floor, ${place.total}::bigint as total`;
  }
  const { since, until } = filters;
  const total = isNarrowed(filters) ? countOf(operatorId, filters) : sql.fragment`greatest(ends.top - ends.floor, 0)`;
  return sql.fragment`
    select ends.top, ends.floor, ${total} as total from (
      select ${olderThan('transfers', { operatorId, at: until, otherwise: sql.fragment`w.last_position` })} as top,
        ${olderThan('transfers', { operatorId, at: since, otherwise: sql.fragment`0::bigint` })} as floor
      from wallets w where w.operator_id = ${operatorId}
      offset 0
    ) ends`;
}

/** Only adjustments go both ways, so the others are counted in their index alone. */
function countOf(operatorId: OperatorId, filters: WalletRows['filters']): Fragment {
  const kinds = kindsOf(filters);
  const counted = (which: Fragment): Fragment => sql.fragment`(select count(*) from (
    select from transfers t where t.wallet = ${operatorId} and t.position <= ends.top and t.position > ends.floor and ${which}
    limit ${ROWS_COUNTED}) counted)`;
  const oneWay = counted(sql.fragment`t.kind = any(${textArray(kinds.filter((kind) => kind !== 'adjustment'))})`);
  if (!kinds.includes('adjustment')) return oneWay;
  const adjustments = counted(sql.fragment`t.kind = 'adjustment' ${sideOf(filters)}`);
  return sql.fragment`least(${oneWay} + ${adjustments}, ${ROWS_COUNTED})`;
}

/**
 * Transfers between `top` and `floor` of the statement's `place`. Each type has its rows in order under an index, so a
 * type that is rare costs no walk through the others.
 */
export function walletRows({ operatorId, filters, limit }: WalletRows): Fragment {
  const within = sql.fragment`t.wallet = ${operatorId} and t.position <= (select top from place) and t.position > (select floor from place)`;
  if (!isNarrowed(filters)) return sql.fragment`select t.* from transfers t where ${within}`;
  return sql.fragment`
    select t.* from unnest(${textArray(kindsOf(filters))}) as kinds (kind) cross join lateral (
      select * from transfers t where ${within} and t.kind = kinds.kind ${sideOf(filters)}
      order by t.position desc ${rowsRead(limit)}) t`;
}

/** Whether only some types of wallet rows are wanted. */
export const isNarrowed = ({ type, direction }: WalletRows['filters']): boolean =>
  type !== undefined || direction !== undefined;

const CREDITS: readonly TransactionType[] = ['topup', 'adjustment'];
const DEBITS: readonly TransactionType[] = ['refund', 'invocation', 'compute', 'identity', 'overage', 'adjustment'];

const kindsOf = ({ type, direction }: WalletRows['filters']): readonly TransactionType[] => {
  const kinds = direction === 'in' ? CREDITS : DEBITS;
  if (type === undefined) return kinds;
  return direction === undefined || kinds.includes(type) ? [type] : [];
};

/** Adjustments go both ways. */
const sideOf = ({ direction }: WalletRows['filters']): Fragment => {
  if (direction === undefined) return sql.fragment``;
  return direction === 'in' ? sql.fragment`and ${signedCents} > 0` : sql.fragment`and ${signedCents} < 0`;
};
