import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { tiers } from '../../src/fields/tiers.ts';
import { CONTENTS } from '../../src/retention/contents.ts';
import { database } from '../support/service.ts';

describe('tiers', () => {
  it('are the same in the code and in the table that holds what each allows, in the same order', async () => {
    const pool = await database();
    const rows = await pool.anyFirst(sql.type(z.object({ name: z.string() }))`select name from tiers order by rank`);
    assert.deepEqual(rows, [...tiers]);
  });

  it('have each an age of each content that is purged, if only one without an end', async () => {
    const pool = await database();
    const Row = z.object({ content: z.string(), tier: z.string() });
    const rows = await pool.any(sql.type(Row)`select content, tier from tier_retention`);
    const wanted = CONTENTS.flatMap(({ name }) => tiers.map((tier) => `${name} ${tier}`));
    assert.deepEqual(rows.map(({ content, tier }) => `${content} ${tier}`).toSorted(), wanted.toSorted());
  });
});
