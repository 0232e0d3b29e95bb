import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { emptyDatabase, type EmptyDatabase } from './empty-database.ts';

const FOLDER = new URL('../../src/database/migrations/', import.meta.url);

/** A database in addition to the suite's that has the migrations up to this one and none after it, and no SQL functions. */
export async function databaseAsOf(newest: string): Promise<EmptyDatabase> {
  const database = await emptyDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query(
      'create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    for (const name of (await readdir(FOLDER)).toSorted().filter((file) => file <= newest)) {
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      await client.query(text);
      const checksum = createHash('sha256').update(text).digest('hex');
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
    }
    return database;
  } finally {
    await client.end();
  }
}
