import assert from 'node:assert/strict';
import pg from 'pg';
import type { DatabasePool } from '../../../src/database/pool.ts';
import { ownRelease, searchPathOf } from '../../../src/database/functions.ts';
import { listServers } from '../../../src/skills/registry/queries.ts';
import { newSkill, newWallet } from '../../billing/ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../../billing/wallet/own-database.ts';

type Filters = Parameters<typeof listServers>[1];

const SKILLS = 20_000;
/** Rows that a page may read, of 20,000: those that it shows, and some that have the parts of a text and not the text. */
const FEW = 200;

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Rows of skills that were read for this part of the plan. */
const rowsOf = (plan: Plan): number =>
  (plan['Relation Name'] === 'skills'
    ? plan['Actual Loops'] *
      (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0))
    : 0) + (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);

/** The statement that the service would send. */
const statementOf = async (filters: Filters): Promise<{ text: string; values: unknown[] }> => {
  let sent: { sql: string; values: unknown[] } | undefined;
  const pool = { any: (query: typeof sent) => ((sent = query), Promise.resolve([])) };
  await listServers(pool as unknown as DatabasePool, filters);
  assert(sent !== undefined);
  return { text: sent.sql.replaceAll(/\$[a-z_]+(\d+)/g, '$$$1'), values: sent.values };
};

describe('a page of the registry of very many skills', () => {
  let own: OwnDatabase;
  let client: pg.Client;
  before(async function () {
    this.timeout(240_000);
    own = await ownDatabase();
    const provider = await newWallet(own.pool);
    const id = await newSkill(own.pool, provider, { price: 1 });
    client = new pg.Client({ connectionString: own.url, options: `-c search_path=${searchPathOf(ownRelease())}` });
    await client.connect();
    await client.query('set session_replication_role = replica');
    const { rows } = await client.query<{ columns: string }>(`
      select string_agg(column_name, ', ') as columns from information_schema.columns
      where table_name = 'skills' and is_generated = 'NEVER' and column_name not in ('id', 'name', 'created_at', 'updated_at')`);
    const others = rows[0]?.columns ?? '';
    await client.query(`
      insert into skills (id, name, created_at, updated_at, ${others})
      select 'skl_' || upper(lpad(to_hex(n), 26, '0')), 'made-' || md5(n::text), made, made, ${others.replace(/\boperator_id\b/, 's.operator_id')}
      from skills s, generate_series(1, ${SKILLS}) n, lateral (select now() - (${SKILLS} - n) * interval '1 minute' as made) moment
      where s.id = '${id}'`);
    await client.query('analyze');
  });
  after(async () => {
    await client.end();
    await own.drop();
  });

  const base: Filters = { namespace: 'com.example.carnet/', after: null, limit: 31 };
  const minutes = (count: number): number => Date.now() - count * 60_000;
  for (const [name, filters] of Object.entries<Partial<Filters>>({
    'no filter': {},
    'a text that nothing has': { search: 'nothing-like-it' },
    'two letters that nothing has': { search: 'zz' },
    'a text that one skill has': { search: 'c4ca4238a0b923820dcc509a6f75849b' },
    'a text that all have': { search: 'made' },
    'a letter that nearly all have': { search: '7' },
    'an id': { search: `skl_${'0'.repeat(25)}7` },
    'the last minutes': { updatedSince: minutes(10) },
    'an hour to come': { updatedSince: minutes(-60) },
    'the last half': { updatedSince: minutes(SKILLS / 2), after: `skl_${'0'.repeat(22)}3A98` },
    'a version that nothing has': { version: '99.0.0' },
  }))
    it(`reads few rows for ${name}`, async () => {
      const { text, values } = await statementOf({ ...base, ...filters });
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      const [{ Plan: plan }] = rows[0]?.['QUERY PLAN'] ?? assert.fail('no plan');
      assert(rowsOf(plan) <= FEW, `${rowsOf(plan)} rows: ${JSON.stringify(plan, null, 1)}`);
    });
});
