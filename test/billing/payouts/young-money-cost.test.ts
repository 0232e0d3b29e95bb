import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { findEarnings } from '../../../src/billing/payouts/queries.ts';
import { sql } from '../../../src/database/pool.ts';
import { newWallet, run } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** The rows that all nodes of a plan looked at, as often as they did. */
const rowsOf = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) *
    plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0);

describe('young_earnings()', function () {
  this.timeout(120_000);
  let db: OwnDatabase;
  before(async () => {
    db = await ownDatabase();
  });
  after(() => db.drop());

  /** A publisher, and a wallet with so many top-ups of ten cents, each spent immediately. Every third row has no balance, as in the release before. */
  const publisherOf = async (captures: number): Promise<string> => {
    const [publisher, wallet] = [await newWallet(db.pool), await newWallet(db.pool)];
    await run(
      db.pool,
      sql.fragment`
        insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
        select ${wallet} || n, case when n % 2 = 1 then 'platform:payments' else 'wallet:' || ${wallet} end,
          case when n % 2 = 1 then 'wallet:' || ${wallet} else 'earnings:' || ${publisher} end, 10,
          case when n % 2 = 1 then 'topup' else 'invocation' end, ${wallet} || n, n, case when n % 3 > 0 then n % 2 * 10 end, 'of the tests'
        from generate_series(1, ${captures * 2}::int) n`,
    );
    await run(
      db.pool,
      sql.fragment`update earnings set posted_cents = ${captures * 10} where operator_id = ${publisher}`,
    );
    return publisher;
  };

  const Source = z.object({ source: z.string() });
  /** The plan that a connection keeps for the function, regardless of the publisher. */
  const rowsReadFor = async (publisher: string): Promise<number> => {
    const source = await db.pool.oneFirst(
      sql.type(Source)`select prosrc as source from pg_proc where oid = 'young_earnings'::regproc`,
    );
    const statement = source.replaceAll('p_operator', '$1').replaceAll('p_days', '$2').replaceAll('p_before', '$3');
    const client = new pg.Client(db.url);
    await client.connect();
    try {
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare young (text, int, timestamptz) as ${statement}`);
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, format json, timing off) execute young ('${publisher}', 7, 'infinity')`,
      );
      return rows.flatMap((row) => row['QUERY PLAN']).reduce((sum, { Plan: plan }) => sum + rowsOf(plan), 0);
    } finally {
      await client.end();
    }
  };

  it('reads rows in proportion to the captures and top-ups, not to their product', async () => {
    const [few, many] = [await publisherOf(400), await publisherOf(1_600)];
    await run(db.pool, sql.fragment`vacuum analyze transfers`);
    for (const [publisher, cents] of [
      [few, 4_000],
      [many, 16_000],
    ] as const)
      assert.equal((await findEarnings(db.pool, { operatorId: publisher, ageDays: 7 })).young_cents, cents);
    const [read, readOfMany] = [await rowsReadFor(few), await rowsReadFor(many)];
    assert(readOfMany < 5 * read, `four times the captures: ${readOfMany} rows after ${read}`);
  });
});
