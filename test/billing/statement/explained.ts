import pg from 'pg';
import { readDays } from '../../../src/billing/statement/days.ts';
import { JSON_FORM, readStatementPage, type StatementRequest } from '../../../src/billing/statement/queries.ts';
import { readTimelinePage, type TimelineRequest } from '../../../src/billing/statement/timeline-queries.ts';
import type { CommonQueryMethods } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';

export type Explained =
  | ({ view: 'statement'; operatorId: OperatorId } & Pick<StatementRequest, 'filters' | 'place'>)
  | ({ view: 'timeline'; operatorId: OperatorId } & Pick<TimelineRequest, 'filters' | 'place'>);

type Reading = Explained | { view: 'days'; operatorId: OperatorId };

/** A scan of the plan, all rows that it read, and the blocks that it touched. */
interface Scan {
  node: string;
  relation: string;
  rows: number;
  blocks: number;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

/** The statement that the service would send. */
function statementOf(request: Reading): Promise<{ text: string; values: unknown[] }> {
  return new Promise((resolve, reject) => {
    const connection = {
      one: (query: { sql: string; values: unknown[] }) => {
        resolve({ text: query.sql.replaceAll(/\$[a-z_]+(\d+)/g, '$$$1'), values: query.values });
        return Promise.resolve({});
      },
    } as unknown as CommonQueryMethods;
    const reading = (): Promise<unknown> => {
      if (request.view === 'days') return readDays(connection, request.operatorId);
      return request.view === 'statement'
        ? readStatementPage(connection, { ...request, limit: 50 }, JSON_FORM)
        : readTimelinePage(connection, { ...request, limit: 50 });
    };
    reading().catch(reject);
  });
}

/**
 * Runs the page once and returns the scans of the plan that a connection keeps for it, regardless of the wallet and the
 * place.
 */
export async function explained(url: string, request: Reading): Promise<Scan[]> {
  const { text, values } = await statementOf(request);
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare page as ${text}`);
    const listed = values
      .map((value) => (Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value)}'`))
      .join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, buffers, format json, timing off) execute page (${listed})`,
    );
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan: plan }) => scansOf(plan)));
  } finally {
    await client.end();
  }
}

function scansOf(plan: Plan): Scan[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  const relation = plan['Relation Name'];
  if (relation === undefined) return below;
  const rows = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  return [{ node: plan['Node Type'], relation, rows: Math.round(rows), blocks }, ...below];
}
