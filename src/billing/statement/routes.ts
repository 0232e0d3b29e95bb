import { z } from 'zod';
import { invalid, notFound } from '../../errors/carnet-error.ts';
import { cursorPages } from '../../http/lists/pagination.ts';
import { writtenText } from '../../json/prepared.ts';
import { queryInteger } from '../../http/query.ts';
import { route, type AnyRoute, type Links, type RouteRequest } from '../../http/route.ts';
import { DAYS, readDays } from './days.ts';
import { withReceipts } from './receipts.ts';
import { CSV, CSV_FORM, CSV_HEADER, CSV_ROWS, RECORD_END } from './csv.ts';
import { JSON_FORM, readStatementPage, type StatementForm } from './queries.ts';
import { DaysSchema, SourcesSchema, statementFilters, StatementSchema, TimelineSchema } from './schema.ts';
import { readSourcesPage } from './sources-queries.ts';
import { readTimelinePage } from './timeline-queries.ts';
import { readTransaction } from './transaction-queries.ts';
import { WalletTransactionSchema } from '../wallet/schema.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const paging = { maximum: MAX_LIMIT, standard: DEFAULT_LIMIT };
const Place = z.object({ position: z.int(), call: z.int() });
const statementPages = cursorPages({
  ...paging,
  position: z.object({ top: z.int(), floor: z.int(), total: z.int() }),
});
const timelinePages = cursorPages({
  ...paging,
  position: z.object({ snapshotAt: z.string(), debited: z.array(z.int()), top: Place, floor: Place }),
});

const Query = z.object({
  limit: queryInteger(1, MAX_LIMIT)
    .optional()
    .meta({ description: `${DEFAULT_LIMIT} unless given; ${CSV_ROWS} as CSV.` }),
  cursor: statementPages.query.cursor,
  ...statementFilters,
});
type Request = RouteRequest<'anyone', undefined, z.output<typeof Query>, undefined>;

/**
 * The request as its cursor fixes it. Without the timeline `entry_kind` has no effect, so it may change between pages.
 */
function pageRequest({ context, call, params, query }: Request, defaultLimit: number) {
  const entry_kind = query.view === undefined ? ('all' as const) : query.entry_kind;
  return { context, call, params, query: { ...query, entry_kind, limit: query.limit ?? defaultLimit } };
}

async function statementPage(request: Request, form: StatementForm, defaultLimit: number) {
  const at = pageRequest(request, defaultLimit);
  const { limit, ...filters } = at.query;
  const place = statementPages.after(at);
  const { operatorId } = request.caller;
  const page = await readStatementPage(request.context.pool, { operatorId, filters, place, limit }, form);
  const { floor, total, last, more } = page;
  return { page, ...statementPages.next(at, more && last !== null ? { top: last - 1, floor, total } : null) };
}

async function answerStatement(request: Request) {
  const { page, members, links } = await statementPage(request, JSON_FORM, DEFAULT_LIMIT);
  const rows = withReceipts(request.context, page.content ?? '', page.encrypted_receipts);
  const remainders: unknown = page.remainders === null ? null : JSON.parse(page.remainders);
  return jsonList({
    members: { total: page.total, receivable_cents: page.owed, remainders, ...members },
    name: 'transactions',
    items: rows,
    links,
  });
}

/** The filtered statement as a table; the Link header leads to rows beyond CSV_ROWS. */
async function answerCsv(request: Request) {
  const { page, links } = await statementPage(request, CSV_FORM, CSV_ROWS);
  const records = page.content === null ? '' : page.content + RECORD_END;
  return {
    status: 200 as const,
    prepared: writtenText<never>(CSV_HEADER + records),
    mediaType: `${CSV}; charset=utf-8; header=present`,
    headers: { 'Content-Disposition': 'attachment; filename="transactions.csv"' },
    links,
  };
}

async function answerTimeline(request: Request) {
  const at = pageRequest(request, DEFAULT_LIMIT);
  const { limit, ...filters } = at.query;
  const place = timelinePages.after(at);
  const { operatorId } = request.caller;
  const page = await readTimelinePage(request.context.pool, { operatorId, filters, place, limit });
  const { snapshot_at: snapshotAt, debited } = page;
  const top = { position: page.next_top, call: page.next_call };
  const floor = { position: page.floor, call: page.floor_call };
  const next = page.more ? { snapshotAt, debited, top, floor } : null;
  const { members, links } = timelinePages.next(at, next);
  return jsonList({ members: { snapshot_at: snapshotAt, ...members }, name: 'rows', items: page.rows ?? '', links });
}

/** A JSON object of `members` and a list whose items are JSON text already. */
function jsonList({ members, name, items, links }: { members: object; name: string; items: string; links: Links }) {
  const text = `${JSON.stringify(members).slice(0, -1)},"${name}":[${items}]}`;
  return { status: 200 as const, prepared: writtenText<never>(text), links };
}

export const listTransactions = route({
  method: 'get',
  path: '/v1/billing/transactions',
  operation: 'listTransactions',
  tag: 'billing',
  summary: 'Read the statement of your wallet, newest first',
  description:
    'The first page fixes what all pages show; its cursor is valid for 24 hours, under the same filters. ' +
    'A row shows the newest 200 sources of each kind, and a page ends before its limit with the row that brings their number to 2,000. ' +
    `With \`Accept: text/csv\` the default view is a table with a header, of up to ${CSV_ROWS} rows; the Link header leads to the rest.`,
  audience: 'anyone',
  query: Query,
  status: 200,
  reply: z.union([StatementSchema, TimelineSchema]),
  alternatives: [CSV],
  refusals: ['INVALID_CURSOR'],
  isHeavy: () => true,
  handler: async (request) => {
    const asTable = request.preferredType('application/json', CSV) === CSV;
    if (request.query.view === undefined) return asTable ? answerCsv(request) : answerStatement(request);
    if (asTable)
      throw invalid({ path: 'query.view', code: 'not_a_table', message: 'must be left out where text/csv is wanted' });
    return answerTimeline(request);
  },
});

const sourcePages = cursorPages({ maximum: 500, standard: 200, position: z.object({ from: z.int() }) });

export const listSources = route({
  method: 'get',
  path: '/v1/billing/transactions/:id/sources',
  operation: 'listTransactionSources',
  tag: 'billing',
  summary: 'List the model calls and machine runs that a debit stands for, oldest first',
  description: 'Empty for a row that has no sources.',
  audience: 'anyone',
  params: z.object({ id: z.string() }),
  query: z.object(sourcePages.query),
  status: 200,
  reply: SourcesSchema,
  refusals: ['INVALID_CURSOR', 'NOT_FOUND'],
  isHeavy: () => true,
  handler: async (request) => {
    const { context, caller, params, query } = request;
    const from = sourcePages.after(request)?.from ?? null;
    const page = await readSourcesPage(context.pool, {
      operatorId: caller.operatorId,
      id: params.id,
      from,
      limit: query.limit,
    });
    if (page === null) throw notFound('transaction');
    const { members, links } = sourcePages.next(request, page.more ? { from: page.ended } : null);
    const text = `{"llm_sources":[${page.calls ?? ''}],"machine_sources":[${page.runs ?? ''}],${JSON.stringify(members).slice(1)}`;
    return { status: 200 as const, prepared: writtenText<never>(text), links };
  },
});

export const getTransaction = route({
  method: 'get',
  path: '/v1/billing/transactions/:id',
  operation: 'getTransaction',
  tag: 'billing',
  summary: 'Read a row of your wallet',
  description: 'As the statement has it: with the newest 200 sources of each kind, and the receipt of a top-up.',
  audience: 'anyone',
  params: z.object({ id: z.string() }),
  status: 200,
  reply: WalletTransactionSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller: { operatorId }, params: { id } }) => {
    const row = await readTransaction(context.pool, { operatorId, id });
    if (row === null) throw notFound('transaction');
    return {
      status: 200 as const,
      prepared: writtenText<never>(withReceipts(context, row.content, row.encrypted_receipts)),
    };
  },
});

export const getDays = route({
  method: 'get',
  path: '/v1/billing/days',
  operation: 'getDailySums',
  tag: 'billing',
  summary: `Read what moved in your wallet by day and type, over the last ${DAYS} days`,
  description:
    'For charts. At most 5,000 rows are read, the newest ones: where there are more, `since` says from when on the sums count. ' +
    'The statement has every row.',
  audience: 'anyone',
  status: 200,
  reply: DaysSchema,
  isHeavy: () => true,
  handler: async ({ context, caller }) => ({ status: 200, body: await readDays(context.pool, caller.operatorId) }),
});

export const statementRoutes: AnyRoute[] = [listTransactions, getDays, getTransaction, listSources];
