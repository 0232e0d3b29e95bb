import assert from 'node:assert/strict';
import type pg from 'pg';
import type { Release } from '../../src/database/functions.ts';

/** Writes into the record of a release that it was installed at another moment; the digest stays. */
export async function installedAt(client: pg.Client, { schema }: Release, moment: Date | string): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `select obj_description(oid, 'pg_namespace') as text from pg_namespace where nspname = $1`,
    [schema],
  );
  const text = rows[0]?.text ?? '';
  const changed = text.replace(
    /installed [^ ,]+,/,
    `installed ${moment instanceof Date ? moment.toISOString() : moment},`,
  );
  assert.match(text, /installed [^ ,]+, digest/, 'it has a record');
  await client.query(`comment on schema ${schema} is '${changed}'`);
}
