import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { tiers } from '../../src/fields/tiers.ts';
import { database } from '../support/service.ts';

describe('tiers', () => {
  it('are the same in the code and in the table that holds what each allows, in the same order', async () => {
    const pool = await database();
    const rows = await pool.anyFirst(sql.type(z.object({ name: z.string() }))`select name from tiers order by rank`);
    assert.deepEqual(rows, [...tiers]);
  });
});
