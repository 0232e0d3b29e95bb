import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { ownDatabase, type OwnDatabase } from '../../billing/wallet/own-database.ts';

const Explained = z.object({
  'QUERY PLAN': z.tuple([z.object({ Plan: z.looseObject({ 'Shared Hit Blocks': z.number() }) })]),
});

describe('The check of what binds an agent, which each issue runs', () => {
  // Its own, since what else happens in a database makes plans outdated.
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  it('is planned once a connection: Postgres reads statistics of tables and indexes for every plan', async () => {
    const [, second, third] = await own.pool.connect(async (connection) => {
      const hits = async (): Promise<number> => {
        const [{ Plan: plan }] = await connection.oneFirst(sql.type(Explained)`
          explain (analyze, buffers, format json) select refuse_agents_bound(array['ag_nobody'])`);
        return plan['Shared Hit Blocks'];
      };
      return [await hits(), await hits(), await hits()];
    });
    assert.deepEqual([second < 10, third < 10], [true, true], `the others read ${second} and ${third} blocks`);
  });
});
