import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type pg from 'pg';
import { STEP_WAIT_SECONDS } from './await-database.ts';
import { BRIEF_LOCK, untilUnlocked } from './brief-locks.ts';
import { connect } from './connect.ts';
import { StartupFault } from '../errors/startup-fault.ts';

/**
 * SQL functions are source: one file each, `sql/<function>.sql` in the folder of its domain, result types in a `types.sql` beside them. All of
 * them are installed together into a schema named after their texts. Two releases that run at the same time each call their own
 * functions, no matter which one of them changed: replacing functions in one schema breaks callers of the other (tried: 130 errors in 40
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

/** A process that migrates or installs does it alone. The number spells "carnet". */
export const MIGRATOR_LOCK = 0x6361726e6574;
/** First key of the advisory locks that say which releases are in use. It spells "fn". */
export const RELEASE_LOCKS = 0x666e;
/** A process that stops in the middle of an install holds up all others; after this Postgres ends their connection, and the next one installs. */
const INSTALL_PAUSE = '10s';
/** That a call whose function is missing waits for others who install: as long as a call waits for any lock. */
const RESTORE_WAIT_MS = 3_000;

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
  const hash = createHash('sha256').update(
    JSON.stringify([INSTALLER, DIGEST, files.map(({ path, text }) => [path, text])]),
  );
  const digits = hash.digest('hex').slice(0, 8);
  return { schema: `fn_${digits}`, lock: lockOf(`fn_${digits}`), files };
}

/** The second key of the advisory lock of a release. */
export const lockOf = (schema: string): number => Number.parseInt(schema.slice('fn_'.length), 16) | 0;

let own: Release | undefined;
/** The release of this process, read once: 200 small files, 15 ms. */
export const ownRelease = (): Release => (own ??= releaseOf(sqlFiles()));

/** The search_path that a connection of this release sets. Tables, triggers and views are in public. */
export const searchPathOf = ({ schema }: Release): string => `${schema},public`;

/**
 * Opens the one connection that a process keeps while it runs: the release is installed, and in use for as long as it is connected.
 * @param name `application_name`, as Postgres lists it
 * @throws StartupFault where the database cannot be reached, or the functions cannot be installed or called.
 */
export async function connectToRelease(
  databaseUrl: string,
  { name, release = ownRelease() }: { name: string; release?: Release },
): Promise<pg.Client> {
  const client = await connect(databaseUrl, { name, options: `-c search_path=${searchPathOf(release)}` });
  try {
    const { rows } = await client.query<{ path: string }>(`select current_setting('search_path') as path`);
    if (rows[0]?.path !== searchPathOf(release)) throw new StartupFault(PATH_WAS_LOST);
    await useFunctions(client, release);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (error instanceof StartupFault) throw error;
    const { message, cause } = error as Error;
    const lacksTables = /^(42|3F)/.test(String((cause as { code?: string } | undefined)?.code));
    const todo = lacksTables ? 'If this is a new release, run node src/database/migrate.ts first.' : 'Start again.';
    throw new StartupFault(`${message.replace(/\.?$/, '.')} ${todo}`);
  }
}

const PATH_WAS_LOST =
  'A pooler between this process and Postgres drops the start-up parameter options, without which no SQL function is found: ' +
  'connect to Postgres directly, or configure the pooler as docs/operations.md says.';

/**
 * Marks the release as in use for as long as `client` is connected, and installs it where it is missing or altered: nobody drops it from
 * here on.
 */
export async function useFunctions(client: pg.Client, release: Release = ownRelease()): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [RELEASE_LOCKS, release.lock]);
  const what = 'The installation of the SQL functions';
  await untilUnlocked(client, { what, seconds: STEP_WAIT_SECONDS }, () => installFunctions(client, release));
}

/**
 * After a call that did not find a function: somebody may have dropped the release while this process was not connected. Installs it
 * again where that is so.
 * @param sinceMs when the call began, in milliseconds before now
 * @returns whether functions were missing during the call; otherwise the call is wrong.
 * @throws StartupFault where they are missing and cannot be installed.
 */
export async function restoreFunctions(
  databaseUrl: string,
  sinceMs: number,
  release: Release = ownRelease(),
): Promise<boolean> {
  const client = await connect(databaseUrl, {
    name: 'carnet-functions',
    options: `-c lock_timeout=${RESTORE_WAIT_MS}`,
  });
  try {
    if (await installFunctions(client, release)) return true;
    // Another process was first. Its moment lies a little before its commit, so one second is added.
    const { rows } = await client.query<{ since: boolean }>(
      `select ${INSTALLED_AT} > clock_timestamp() - make_interval(secs => $2) as since from pg_namespace n where nspname = $1`,
      [release.schema, sinceMs / 1_000 + 1],
    );
    return rows[0]?.since === true;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === '55P03') return true; // they are missing, and somebody who migrates or installs is not done yet
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Installs a release whole, in one transaction; one query where it is installed already. Callers of other releases wait for nothing. One
 * that is not as it was installed (restored by half, changed by hand) is dropped and installed again.
 * @returns whether it was missing or altered.
 * @throws StartupFault where this database user may not, or the schema is somebody else's; Error naming the file that Postgres does not
 *   take. Nothing is installed then.
 */
export async function installFunctions(client: pg.Client, release: Release = ownRelease()): Promise<boolean> {
  if ((await stateOf(client, release)) === 'whole') return false;
  let doing = 'its schema';
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATOR_LOCK]);
    await client.query(`set local idle_in_transaction_session_timeout = '${INSTALL_PAUSE}'`);
    await client.query(`set local lock_timeout = '${BRIEF_LOCK}'`); // after the lock of the process that migrates, which may take its time
    const state = await stateOf(client, release);
    if (state !== 'whole') {
      if (state === 'altered') await dropSchema(client, release.schema);
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
      doing = 'the record of what was installed';
      await record(client, release);
    }
    await client.query('commit');
    return state !== 'whole';
  } catch (error) {
    await client.query('rollback').catch(() => {}); // a lost connection has rolled back, and its error says more
    throw faultOf(error, release, doing);
  }
}

function faultOf(error: unknown, { schema }: Release, doing: string): Error {
  if (error instanceof StartupFault) return error;
  const { message, code } = error as Error & { code?: string };
  if (code === '42501')
    return new StartupFault(
      `The SQL functions could not be installed (${message}): run node src/database/migrate.ts as the owner of the database, ` +
        'or grant this database user CREATE on the database.',
    );
  if (code === '2BP01')
    return new StartupFault(
      `The schema ${schema} is not as it was installed, and cannot be installed again while something else is in it or depends on it ` +
        `(${String((error as { detail?: string }).detail)}): remove that, or rename the schema (alter schema ${schema} rename to …), and start again.`,
    );
  return new Error(`The SQL functions could not be installed (${doing}): ${message}`, { cause: error });
}

/** When the namespace `n` was installed, as its comment says; null where it has none of ours. */
export const INSTALLED_AT = `(select case when pg_input_is_valid(moment, 'timestamptz') then moment::timestamptz end
  from substring(obj_description(n.oid, 'pg_namespace') from 'installed ([^ ,]+), digest') as moment)`;

/** Whether this user or the owner of the tables made the namespace `n`. Anybody else's functions would run with our rights. */
export const IS_OURS = `coalesce(pg_get_userbyid(n.nspowner) in
  (current_user, (select tableowner from pg_tables where schemaname = 'public' and tablename = 'migrations')), false)`;

/**
 * 16 digits over all that is in the namespace `n`, the same after a dump and a restore, and under any search_path (names are always
 * qualified). Only expressions of defaults are left out.
 */
const DIGEST = `(select left(encode(sha256(convert_to(coalesce(string_agg(line, E'\\n' order by line collate "C"), ''), 'UTF8')), 'hex'), 16)
  from (
    select concat_ws(' ', (pg_identify_object('pg_proc'::regclass, p.oid, 0)).identity, lanname, prokind, provolatile, proisstrict,
      proretset, prosecdef, proleakproof, proparallel, pronargdefaults, proargnames, proargmodes, proconfig,
      array(select (pg_identify_object('pg_type'::regclass, type, 0)).identity
        from unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) with ordinality as types(type, place) order by place),
      prosrc) as line
    from pg_proc p join pg_language l on l.oid = p.prolang where pronamespace = n.oid
    union all
    select concat_ws(' ', relkind, (pg_identify_object('pg_class'::regclass, c.oid, 0)).identity, attnum, attname, atttypmod,
      (pg_identify_object('pg_type'::regclass, atttypid, 0)).identity)
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped where relnamespace = n.oid
  ) as lines)`;

interface Found {
  owner: string;
  ours: boolean;
  usable: boolean;
  recorded: string | null;
  digest: string;
}

/** @throws StartupFault where the schema is somebody else's, or this user may not call what is in it. */
async function stateOf(client: pg.Client, { schema }: Release): Promise<'missing' | 'altered' | 'whole'> {
  // By name, not to_regnamespace(): after a wait for the lock that may answer from a cache of before (seen).
  const { rows } = await client.query<Found>(
    `select pg_get_userbyid(n.nspowner) as owner, ${IS_OURS} as ours, ${DIGEST} as digest,
       has_schema_privilege(n.oid, 'usage')
         and (select coalesce(bool_and(has_function_privilege(oid, 'execute')), true) from pg_proc where pronamespace = n.oid) as usable,
       substring(obj_description(n.oid, 'pg_namespace') from 'digest ([0-9a-f]{16})$') as recorded
     from pg_namespace n where nspname = $1`,
    [schema],
  );
  const found = rows[0];
  if (found === undefined) return 'missing';
  if (!found.ours)
    throw new StartupFault(
      `The schema ${schema}, in which the SQL functions of this release belong, is owned by ${found.owner}, ` +
        `neither by this database user nor by the owner of the tables: rename it (alter schema ${schema} rename to …) ` +
        `or, if it is yours, change its owner (alter schema ${schema} owner to …), and start again.`,
    );
  if (found.digest !== found.recorded) return 'altered';
  if (!found.usable)
    throw new StartupFault(
      `This database user may not call the SQL functions: grant it USAGE on the schema ${schema} and EXECUTE on the functions in it, ` +
        'and by default privileges on those of later releases.',
    );
  return 'whole';
}

/** Writes into the schema's comment when it was installed, by Postgres' clock, and what. */
async function record(client: pg.Client, { schema }: Release): Promise<void> {
  const { rows } = await client.query<{ moment: string; digest: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as moment, ${DIGEST} as digest
     from pg_namespace n where nspname = $1`,
    [schema],
  );
  const { moment = '', digest = '' } = rows[0] ?? {};
  await client.query(
    `comment on schema ${schema} is 'SQL functions of one release of Carnet, installed ${moment}, digest ${digest}'`,
  );
}

/**
 * Drops a release in the transaction under way. Without `cascade`, which could take a column with its data: Postgres refuses (2BP01)
 * where anything else is in the schema, or depends on what is.
 */
export async function dropSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ routines: string | null; types: string | null }>(
    `select (select string_agg(oid::regprocedure::text, ', ') from pg_proc where pronamespace = n.oid) as routines,
       (select string_agg(c.oid::regclass::text, ', ') from pg_class c where relnamespace = n.oid and relkind = 'c') as types
     from pg_namespace n where nspname = $1`,
    [schema],
  );
  if (rows[0]?.routines) await client.query(`drop routine ${rows[0].routines}`);
  if (rows[0]?.types) await client.query(`drop type ${rows[0].types}`);
  await client.query(`drop schema if exists ${schema}`);
}
