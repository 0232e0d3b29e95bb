import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator } from '../../support/factories.ts';
import { database } from '../../support/service.ts';

const Explained = z.object({
  'QUERY PLAN': z.tuple([z.object({ Plan: z.looseObject({ 'Shared Hit Blocks': z.number() }) })]),
});

describe('The check of what binds an agent, which each issue runs', () => {
  it('is planned once a connection: Postgres reads statistics of tables and indexes for every plan', async () => {
    const { id } = await buildAgent(await buildOperator());
    const pool = await database();
    const [, second, third] = await pool.connect(async (connection) => {
      const hits = async (): Promise<number> => {
        const [{ Plan: plan }] = await connection.oneFirst(sql.type(Explained)`
          explain (analyze, buffers, format json) select refuse_agents_bound(array[${id}])`);
        return plan['Shared Hit Blocks'];
      };
      return [await hits(), await hits(), await hits()];
    });
    assert.deepEqual([second < 10, third < 10], [true, true], `the others read ${second} and ${third} blocks`);
  });
});
