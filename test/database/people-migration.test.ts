import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { emptyDatabase, type EmptyDatabase } from '../support/empty-database.ts';

const FOLDER = new URL('../../src/database/migrations/', import.meta.url);
const PEOPLE = '0009-people.sql';

describe('The migration that brings members', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  before(async () => {
    database = await emptyDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('makes the holder of its registered address the owner of every operator there is, the platform apart', async () => {
    for (const name of (await readdir(FOLDER)).toSorted().filter((file) => file < PEOPLE)) {
      await client.query(await readFile(new URL(name, FOLDER), 'utf8'));
    }
    await client.query(
      `insert into operators (id, name, email) values ('op_A', 'A', 'Ada@example.test'), ('op_B', 'B', 'Ada@example.test')`,
    );
    await client.query(await readFile(new URL(PEOPLE, FOLDER), 'utf8'));
    const { rows } = await client.query<{ id: string }>(
      'select operator_id, email, role, id from members order by operator_id',
    );
    assert.deepEqual(
      rows.map(({ id: _id, ...member }) => member),
      ['op_A', 'op_B'].map((operator) => ({ operator_id: operator, email: 'Ada@example.test', role: 'owner' })),
    );
    assert(rows.every(({ id }) => /^mem_[0-9A-Z]{26}$/.test(id)));
  });
});
