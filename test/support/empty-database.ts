import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ownRelease } from '../../src/database/functions.ts';
import { migrate } from '../../src/database/migrations.ts';
import { service } from './service.ts';

export interface EmptyDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database in addition to the suite's, without migrations. */
export const emptyDatabase = (): Promise<EmptyDatabase> => newDatabase('empty', 'template1');

/** A template that processes of the suite share: a copy takes a fraction of the time of the migrations. It is removed with the instance. */
let template: Promise<string> | undefined;

/** A database in addition to the suite's, with every migration and no row but their own. */
export async function migratedDatabase(): Promise<EmptyDatabase> {
  template ??= makeTemplate();
  const database = await newDatabase('own', await template);
  // A copy has everything of its template but its default search_path; to migrate it again would cost as much as the copy.
  await administer(`alter database ${database.name} set search_path = public, ${ownRelease().schema}`);
  return database;
}

/** A copy of a database to which nobody is connected, as a backup that was restored beside it. */
export async function copyOfDatabase(url: string): Promise<EmptyDatabase> {
  const database = await newDatabase('copy', new URL(url).pathname.slice(1));
  await migrate(database.url); // as a start does: sets the default search_path, too, which a copy lacks
  return database;
}

async function makeTemplate(): Promise<string> {
  const made = `migrated_${ownRelease().schema}`;
  return await administering(async (client) => {
    await client.query("select pg_advisory_lock(hashtext('the template of the tests'))");
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [made]);
    if (rowCount === 0) {
      const { name, url } = await newDatabase('template', 'template1');
      await migrate(url);
      await client.query(`alter database ${name} rename to ${made}`);
    }
    return made;
  });
}

async function newDatabase(kind: string, from: string): Promise<EmptyDatabase & { name: string }> {
  const name = `${kind}_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} template ${from}`);
  const url = new URL(service().databaseUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}

const administer = (statement: string): Promise<void> =>
  administering(async (client) => void (await client.query(statement)));

async function administering<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service().databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
