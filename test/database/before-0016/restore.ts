import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { makeDefault } from '../../../src/database/default-release.ts';
import { installFunctions, releaseOf } from '../../../src/database/functions.ts';
import { databaseAsOf } from '../../support/database-as-of.ts';
import type { EmptyDatabase } from '../../support/empty-database.ts';

/**
 * A database as it was with the migrations 0001 to 0015, and the data directory beside it, recorded from an instance of that time that tests and
 * the demo had filled. The first line has the SQL functions of that release; then stand tables, each followed by its rows, and sequences.
 */
const FOLDER = import.meta.dirname;
const OF_DATA_DIR = /^(encryption\.key|credentials\.json|log-head-.*)$/;

type Line =
  | { functions: { path: string; text: string }[] }
  | { table: string; columns: string[] }
  | { sequence: string; value: number };

/** @param dataDir gets the keys that open what the database has sealed, and the head of the log */
export async function restoreBefore0016(dataDir: string): Promise<EmptyDatabase> {
  for (const file of (await readdir(FOLDER)).filter((name) => OF_DATA_DIR.test(name)))
    await copyFile(join(FOLDER, file), join(dataDir, file));
  const lines = gunzipSync(await readFile(join(FOLDER, 'database.jsonl.gz')))
    .toString()
    .split('\n')
    .filter(Boolean);
  const database = await databaseAsOf('0015-inbound.sql');
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await restore(client, lines);
    return database;
  } catch (error) {
    await database.drop();
    throw error;
  } finally {
    await client.end();
  }
}

async function restore(client: pg.Client, lines: string[]): Promise<void> {
  // As pg_restore does: rows as they were, and no trigger acts again.
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ tables: string }>(
    `select string_agg(quote_ident(tablename), ', ') as tables from pg_tables where schemaname = 'public'`,
  );
  await client.query(`truncate ${rows[0]?.tables}`);
  let table: { name: string; columns: string[]; rows: string[] } | undefined;
  const insert = async (): Promise<void> => {
    if (table === undefined) return;
    const { name, columns, rows: texts } = table;
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    await client.query(
      `insert into ${name} (${list}) overriding system value
       select ${list} from json_populate_recordset(null::${name}, (
         select json_agg((select json_object_agg(title, row -> (place - 1)::int) from unnest($1::text[]) with ordinality as titles (title, place)))
         from unnest($2::json[]) as row))`,
      [columns, texts],
    );
  };
  for (const text of lines) {
    if (text.startsWith('[')) {
      table?.rows.push(text); // parsed by Postgres alone, so that no number becomes another one
      continue;
    }
    await insert();
    table = undefined;
    const line = JSON.parse(text) as Line;
    if ('table' in line) table = { name: line.table, columns: line.columns, rows: [] };
    else if ('sequence' in line) await client.query('select setval($1, $2)', [line.sequence, line.value]);
    else {
      const isTypes = (path: string): boolean => path.endsWith('/types.sql');
      const release = releaseOf(
        line.functions.toSorted((one, other) => Number(isTypes(other.path)) - Number(isTypes(one.path))),
      );
      await installFunctions(client, release);
      await makeDefault(client, release);
    }
  }
  await insert();
}
