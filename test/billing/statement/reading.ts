import { z } from 'zod';
import {
  JSON_FORM,
  readStatementPage,
  type StatementPlace,
  type WalletRows,
} from '../../../src/billing/statement/queries.ts';
import { StatementSchema, TimelineSchema, type StatementFilters } from '../../../src/billing/statement/schema.ts';
import { readTimelinePage, type TimelinePlace } from '../../../src/billing/statement/timeline-queries.ts';
import type { CommonQueryMethods } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';

/** Reads without HTTP, from a database of the test's own: page by page, as cursors would lead. */

export type Transaction = z.output<typeof StatementSchema>['transactions'][number];
type Row = z.output<typeof TimelineSchema>['rows'][number];

const Transactions = StatementSchema.shape.transactions;
const Rows = TimelineSchema.shape.rows;

interface Reading<Page> {
  pages: Page[][];
  total: number;
}

/** @param between is awaited before each page but the first */
export async function readTransactions(
  db: CommonQueryMethods,
  operator: string,
  {
    filters = {},
    limit = 200,
    between = async () => {},
  }: { filters?: WalletRows['filters']; limit?: number; between?: () => Promise<void> } = {},
): Promise<Reading<Transaction>> {
  const pages: Transaction[][] = [];
  let place: StatementPlace | null = null;
  for (;;) {
    const page = await readStatementPage(db, { operatorId: operator as OperatorId, filters, place, limit }, JSON_FORM);
    pages.push(Transactions.parse(JSON.parse(`[${page.content ?? ''}]`)));
    if (!page.more || page.last === null) return { pages, total: page.total };
    place = { top: page.last - 1, floor: page.floor, total: page.total };
    await between();
  }
}

export async function readTimeline(
  db: CommonQueryMethods,
  operator: string,
  {
    filters = {},
    limit = 200,
    between = async () => {},
  }: { filters?: Partial<StatementFilters>; limit?: number; between?: () => Promise<void> } = {},
): Promise<Row[][]> {
  const pages: Row[][] = [];
  let place: TimelinePlace | null = null;
  for (;;) {
    const request = {
      operatorId: operator as OperatorId,
      filters: { entry_kind: 'all' as const, ...filters },
      place,
      limit,
    };
    const page = await readTimelinePage(db, request);
    pages.push(Rows.parse(JSON.parse(`[${page.rows ?? ''}]`)));
    if (!page.more) return pages;
    place = {
      snapshotAt: page.snapshot_at,
      debited: page.debited,
      top: { position: page.next_top, call: page.next_call },
      floor: { position: page.floor, call: page.floor_call },
    };
    await between();
  }
}

/** Its debits of usage, oldest first. */
export const debitsOf = async (db: CommonQueryMethods, wallet: string): Promise<Transaction[]> =>
  (await readTransactions(db, wallet)).pages
    .flat()
    .filter(({ meter }) => meter !== null)
    .toReversed();

/** The calls of a debit, each with its share. */
export const callShares = ({ details }: Transaction) =>
  details.llm_sources.map(({ id, allocated_microcents }) => [id, allocated_microcents]);
