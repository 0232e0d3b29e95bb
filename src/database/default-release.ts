import type pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';
import { ownRelease, type Release } from './functions.ts';

/**
 * Makes a release what psql, scripts and migrations call: clients that set no search_path of their own. It comes last in what the
 * database has as its default, in place of other releases; where there is no default after public, where their `create table` belongs.
 * Nothing has the same name in both. New connections only.
 * @throws StartupFault where this user does not own the database.
 */
export async function makeDefault(client: pg.Client, release: Release = ownRelease()): Promise<void> {
  const { rows } = await client.query<{ name: string; path: string | null }>(
    `select quote_ident(datname) as name, (
       select substring(setting from '^search_path=(.*)$') from pg_db_role_setting, unnest(setconfig) as setting
       where setdatabase = d.oid and setrole = 0 and setting like 'search_path=%') as path
     from pg_database d where datname = current_database()`,
  );
  const { name = '', path = null } = rows[0] ?? {};
  const wanted = `${othersIn(path) || 'public'}, ${release.schema}`;
  if (wanted === path) return;
  const statement = `alter database ${name} set search_path = ${wanted}`;
  try {
    await client.query(statement);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new StartupFault(
      `The default search_path of the database could not be set (${(error as Error).message}): run this step as the owner of the database.`,
    );
  }
}

/** A search_path as Postgres stores it, names quoted where they must be and `""` where it is empty, without releases. */
const othersIn = (path: string | null): string =>
  (path ?? '')
    .replace(/^""$/, '')
    .replaceAll(/(^|,)\s*fn_[0-9a-f]{8}(?=\s*(,|$))/g, '')
    .replace(/^\s*,\s*/, '');
