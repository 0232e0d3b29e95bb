import { z } from 'zod';
import { preferredType } from '../../http/accept.ts';
import { invalid } from '../../errors/carnet-error.ts';
import { cursorPages } from '../../http/lists/pagination.ts';
import { writtenText } from '../../json/prepared.ts';
import { queryInteger } from '../../http/query.ts';
import { route, type AnyRoute, type Links, type RouteRequest } from '../../http/route.ts';
import { withReceipts } from './receipts.ts';
import { CSV, CSV_FORM, CSV_HEADER, CSV_ROWS, RECORD_END } from './csv.ts';
import { JSON_FORM, readStatementPage, type StatementForm } from './queries.ts';
import { statementFilters, StatementSchema, TimelineSchema } from './schema.ts';
import { readTimelinePage } from './timeline-queries.ts';

const MOST = 200;
const STANDARD = 50;
const paging = { maximum: MOST, standard: STANDARD };
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
  limit: queryInteger(1, MOST)
    .optional()
    .meta({ description: `${STANDARD} unless given; ${CSV_ROWS} as CSV.` }),
  cursor: statementPages.query.cursor,
  ...statementFilters,
});
type Request = RouteRequest<'anyone', undefined, z.output<typeof Query>, undefined>;

/** What the cursor holds for: without the timeline `entry_kind` means nothing, and may change. */
function asked({ context, call, params, query }: Request, standard: number) {
  const entry_kind = query.view === undefined ? ('all' as const) : query.entry_kind;
  return { context, call, params, query: { ...query, entry_kind, limit: query.limit ?? standard } };
}

async function statementPage(request: Request, form: StatementForm, standard: number) {
  const at = asked(request, standard);
  const { limit, ...filters } = at.query;
  const place = statementPages.after(at);
  const { operatorId } = request.caller;
  const page = await readStatementPage(request.context.pool, { operatorId, filters, place, limit }, form);
  const { floor, total, last, more } = page;
  return { page, ...statementPages.next(at, more && last !== null ? { top: last - 1, floor, total } : null) };
}

async function statement(request: Request) {
  const { page, members, links } = await statementPage(request, JSON_FORM, STANDARD);
  const rows = withReceipts(request.context, page.content ?? '', page.sealed_receipts);
  return written({ total: page.total, ...members }, 'transactions', rows, links);
}

/** The filtered statement as a table; what is beyond CSV_ROWS is linked to (decisions B27). */
async function csv(request: Request) {
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

async function timeline(request: Request) {
  const at = asked(request, STANDARD);
  const { limit, ...filters } = at.query;
  const place = timelinePages.after(at);
  const { operatorId } = request.caller;
  const page = await readTimelinePage(request.context.pool, { operatorId, filters, place, limit });
  const { snapshot_at: snapshotAt, debited } = page;
  const top = { position: page.next_top, call: page.next_call };
  const floor = { position: page.floor, call: page.floor_call };
  const next = page.more ? { snapshotAt, debited, top, floor } : null;
  const { members, links } = timelinePages.next(at, next);
  return written({ snapshot_at: snapshotAt, ...members }, 'rows', page.rows ?? '', links);
}

/** `members` and the list, whose items are JSON already. */
function written(members: object, name: string, items: string, links: Links) {
  const text = `${JSON.stringify(members).slice(0, -1)},"${name}":[${items}]}`;
  return { status: 200 as const, prepared: writtenText<never>(text), links };
}

const listTransactions = route({
  method: 'get',
  path: '/v1/billing/transactions',
  operation: 'listTransactions',
  tag: 'billing',
  summary: 'Read the statement of your wallet, newest first',
  description:
    'The first page fixes what all pages show; a cursor keeps that for 24 hours, under the same filters. ' +
    'A page ends before its limit with the debit that brings its sources to 2,000. ' +
    `With \`Accept: text/csv\` the default view is a table with a header, of up to ${CSV_ROWS} rows; the Link header names the rest.`,
  audience: 'anyone',
  query: Query,
  status: 200,
  reply: z.union([StatementSchema, TimelineSchema]),
  alternatives: [CSV],
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const asTable = preferredType(request.header('accept'), ['application/json', CSV]) === CSV;
    if (request.query.view === undefined) return asTable ? csv(request) : statement(request);
    if (asTable)
      throw invalid({ path: 'query.view', code: 'not_a_table', message: 'must be left out where text/csv is wanted' });
    return timeline(request);
  },
});

export const statementRoutes: AnyRoute[] = [listTransactions];
