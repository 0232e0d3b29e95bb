import assert from 'node:assert/strict';
import { z } from 'zod';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { service } from '../support/service.ts';

const Row = z.record(z.string(), z.int());
const Names = z.object({ statement: z.string() });

describe('The statements of a pool', () => {
  let pool: DatabasePool;
  before(async () => {
    pool = await openPool(service().databaseUrl, { size: 1, applicationName: 'carnet-test' });
  });
  after(() => pool.end());

  /** A text of its own for each number. */
  const ask = (nth: number) => pool.oneFirst(sql.type(Row)`select ${nth}::int as ${sql.identifier([`text_${nth}`])}`);
  const named = async (): Promise<readonly string[]> =>
    pool.anyFirst(
      sql.type(Names)`select statement from pg_prepared_statements where statement like 'select $1::int as "text%'`,
    );
  const numbersOf = (statements: readonly string[]): number[] =>
    statements.map((text) => Number(/"text_(\d+)"/.exec(text)?.[1]));

  it('have a name when they come again, also after thousands of others that came once', async () => {
    for (let nth = 0; nth < 1_000; nth += 1) await ask(nth);
    assert.deepEqual(await named(), [], 'what comes once takes no room in a connection');
    await ask(1_000);
    await ask(1_000);
    assert.deepEqual(numbersOf(await named()), [1_000]);
    for (let nth = 1_001; nth < 1_300; nth += 1) await ask(nth);
    await ask(1_000);
    for (let nth = 1_300; nth < 1_600; nth += 1) await ask(nth);
    await ask(1_000);
    assert.deepEqual(numbersOf(await named()), [1_000]);
  });
});
