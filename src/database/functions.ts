import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type pg from 'pg';
import { connect } from './connect.ts';
import { StartupFault } from '../errors/startup-fault.ts';

/**
 * SQL functions are source: one file each, `sql/<function>.sql` in the folder of its domain, result types in a `types.sql` beside them. All of
 * them are installed together into a schema named after their texts. Two releases that run at the same time each call their own
 * functions, whatever one of them changed: replacing functions in one schema breaks callers of the other (tried: 130 errors in 40
 * installs, and every call of a function with a changed result fails until its connection closes).
 */
export interface Release {
  /** `fn_` and the first eight digits of the hash. */
  schema: string;
  /** The same digits as the second key of an advisory lock. */
  lock: number;
  files: readonly SqlFile[];
}

interface SqlFile {
  /** From `src/` on. */
  path: string;
  text: string;
}

/** Counts when installing the same texts makes something else, so that releases before get a schema of their own. */
const INSTALLER = 1;

/** Whoever migrates or installs does it alone. The number spells "carnet". */
export const MIGRATOR_LOCK = 0x6361726e6574;
/** First key of the advisory locks that say which releases are in use. It spells "fn". */
const RELEASE_LOCKS = 0x666e;

const SOURCE = new URL('../', import.meta.url);

/** The `sql/` files below `src/`, types before the functions that name them. */
const sqlFiles = (source: URL = SOURCE): SqlFile[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /(^|\/)sql\/[^/]+\.sql$/.test(path))
    .toSorted((one, other) => Number(isTypes(other)) - Number(isTypes(one)) || (one < other ? -1 : 1))
    .map((path) => ({ path, text: readFileSync(new URL(path, source), 'utf8') }));

const isTypes = (path: string): boolean => basename(path) === 'types.sql';

export function releaseOf(files: readonly SqlFile[]): Release {
  const hash = createHash('sha256').update(JSON.stringify([INSTALLER, files.map(({ path, text }) => [path, text])]));
  const digits = hash.digest('hex').slice(0, 8);
  return { schema: `fn_${digits}`, lock: lockOf(`fn_${digits}`), files };
}

const lockOf = (schema: string): number => Number.parseInt(schema.slice('fn_'.length), 16) | 0;

let own: Release | undefined;
/** The release of this process, read once: 200 small files, 15 ms. */
export const ownRelease = (): Release => (own ??= releaseOf(sqlFiles()));

/** What a connection of this release sets as its search_path. Tables, triggers and views are in public. */
export const searchPathOf = ({ schema }: Release): string => `${schema},public`;

/**
 * Marks the release as in use for as long as `client` is connected, and installs it where it is missing: nobody drops it from here
 * on. For the one dedicated connection of a process.
 */
export async function useFunctions(client: pg.Client, release: Release = ownRelease()): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [RELEASE_LOCKS, release.lock]);
  await installFunctions(client, release);
}

/**
 * Installs this release where it is missing; a process does so before it serves, since a caller would otherwise meet functions that are
 * not there while somebody migrates.
 * @throws StartupFault where the database cannot be reached, or lacks what the functions are about.
 */
export async function ensureFunctions(databaseUrl: string, release: Release = ownRelease()): Promise<void> {
  const client = await connect(databaseUrl, 'carnet-functions');
  try {
    await installFunctions(client, release);
  } catch (error) {
    const { message } = error as Error;
    throw new StartupFault(`${message} If this is a new release, run node src/database/migrate.ts first.`);
  } finally {
    await client.end();
  }
}

/**
 * Installs a release whole, in one transaction; one query where it is installed already. Callers of other releases wait for nothing.
 * @returns whether it was missing.
 * @throws Error naming the file that Postgres does not take; nothing is installed then.
 */
export async function installFunctions(client: pg.Client, release: Release = ownRelease()): Promise<boolean> {
  if (await isInstalled(client, release)) return false;
  let doing = 'its schema';
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATOR_LOCK]);
    const missing = !(await isInstalled(client, release));
    if (missing) {
      await client.query(`create schema ${release.schema}`);
      await client.query(`set local search_path = ${searchPathOf(release)}`);
      // In the order of their names a body calls what is not there yet, so bodies are checked when all are.
      await client.query('set local check_function_bodies = off');
      for (const { path, text } of release.files) {
        doing = `src/${path}`;
        await client.query(text);
      }
      doing = 'the check of their bodies';
      await client.query('set local check_function_bodies = on');
      await client.query(
        `select case l.lanname when 'sql' then fmgr_sql_validator(p.oid) else plpgsql_validator(p.oid) end
         from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = $1::regnamespace`,
        [release.schema],
      );
      await client.query(`comment on schema ${release.schema} is '${new Date().toISOString()}'`); // its age
    }
    await client.query('commit');
    return missing;
  } catch (error) {
    await client.query('rollback');
    throw new Error(
      `The SQL functions could not be installed (${doing}): ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

async function isInstalled(client: pg.Client, { schema }: Release): Promise<boolean> {
  // Not to_regnamespace(): after a wait for the lock it may answer from a cache of before (seen).
  const text = 'select exists (select from pg_namespace where nspname = $1) as there';
  const { rows } = await client.query<{ there: boolean }>(text, [schema]);
  return rows[0]?.there === true;
}

/**
 * Makes a release what psql, scripts and migrations call: clients that set no search_path of their own. public comes first, where
 * their `create table` belongs; nothing has the same name in both. New connections only.
 */
export async function makeDefault(client: pg.Client, release: Release = ownRelease()): Promise<void> {
  const path = `public, ${release.schema}`;
  const { rows } = await client.query<{ name: string; set: boolean }>(
    `select quote_ident(datname) as name, exists (
       select from pg_db_role_setting where setdatabase = d.oid and setrole = 0 and setconfig @> array['search_path=' || $1]) as set
     from pg_database d where datname = current_database()`,
    [path],
  );
  if (rows[0]?.set === false) await client.query(`alter database ${rows[0].name} set search_path = ${path}`);
}

/**
 * Drops releases that nobody uses: never `keep`, never one of the newest two, never one younger than an hour, so that a release that is
 * being rolled out or back finds its functions. One that something outside of it depends on stays, since dropping that as well could
 * take a column with its data.
 * @returns the schemas that were dropped.
 */
export async function dropUnusedReleases(client: pg.Client, keep: Release = ownRelease()): Promise<string[]> {
  const { rows } = await client.query<{ schema: string }>(
    `select schema from (
       select nspname as schema, obj_description(oid, 'pg_namespace')::timestamptz as installed_at,
         row_number() over (order by obj_description(oid, 'pg_namespace')::timestamptz desc) as place
       from pg_namespace where nspname ~ '^fn_[0-9a-f]{8}$') releases
     where place > 2 and installed_at < now() - interval '1 hour' and schema <> $1`,
    [keep.schema],
  );
  const dropped: string[] = [];
  for (const { schema } of rows) if (await dropRelease(client, schema)) dropped.push(schema);
  return dropped;
}

async function dropRelease(client: pg.Client, schema: string): Promise<boolean> {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ unused: boolean; routines: string | null; types: string | null }>(
      `select pg_try_advisory_xact_lock($2, $3) as unused,
         (select string_agg(oid::regprocedure::text, ', ') from pg_proc where pronamespace = $1::regnamespace) as routines,
         (select string_agg(c.oid::regclass::text, ', ') from pg_class c where relnamespace = $1::regnamespace and relkind = 'c') as types`,
      [schema, RELEASE_LOCKS, lockOf(schema)],
    );
    const unused = rows[0]?.unused === true;
    if (unused) {
      // Without `cascade`: whatever depends on one of them from outside makes Postgres refuse.
      if (rows[0]?.routines) await client.query(`drop routine ${rows[0].routines}`);
      if (rows[0]?.types) await client.query(`drop type ${rows[0].types}`);
      await client.query(`drop schema ${schema}`);
    }
    await client.query('commit');
    return unused;
  } catch (error) {
    await client.query('rollback');
    const dependedOn = error instanceof Error && 'code' in error && error.code === '2BP01';
    if (dependedOn) return false;
    throw error;
  }
}
