import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { connect } from './connect.ts';
import { STEP_WAIT_SECONDS } from './await-database.ts';
import { BRIEF_LOCK, isLockFault, untilUnlocked } from './brief-locks.ts';
import { StartupFault } from '../errors/startup-fault.ts';
import { makeDefault } from './default-release.ts';
import { installFunctions, MIGRATOR_LOCK } from './functions.ts';
import { dropUnusedReleases } from './unused-releases.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

interface Applied {
  name: string;
  checksum: string;
}

/**
 * Applies what is missing of `migrations/NNNN-name.sql`, each file in a transaction of its own, in order; then installs the SQL
 * functions of this release. One migrator at a time: the others wait on an advisory lock. Locks on tables are waited for briefly, since commands
 * wait behind the one that waits; then the file is rolled back and tried again.
 * @param onBlocked is called with a sentence where somebody is in the way
 * @returns the names of the files applied now.
 * @throws StartupFault when the database cannot be reached, a file that was applied has changed since, or somebody holds for too long what it needs; Error
 *   naming the file that failed (it is rolled back).
 */
export async function migrate(databaseUrl: string, onBlocked?: (sentence: string) => void): Promise<string[]> {
  const client = await connect(databaseUrl, { name: 'carnet-migrate' });
  const patience = { seconds: STEP_WAIT_SECONDS, onBlocked };
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATOR_LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const applied = new Map(
      (await client.query<Applied>('select name, checksum from migrations')).rows.map((row) => [
        row.name,
        row.checksum,
      ]),
    );
    const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).toSorted();
    refuseOtherHistory([...applied.keys()], files);
    const now: string[] = [];
    for (const name of files) {
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const before = applied.get(name);
      if (before === checksum) continue;
      if (before !== undefined) {
        throw new StartupFault(
          `The database was made by another version of Carnet: the migration ${name} is not the one that was applied; start that version, or use another DATA_DIR or DATABASE_URL. The person who changed the file restores it and writes a new one.`,
        );
      }
      await untilUnlocked(client, { what: `The migration ${name}`, ...patience }, () =>
        apply(client, { name, text, checksum }),
      );
      now.push(name);
    }
    await untilUnlocked(client, { what: 'The installation of the SQL functions', ...patience }, () =>
      installFunctions(client),
    );
    await makeDefault(client);
    await dropUnusedReleases(client);
    return now;
  } finally {
    await client.end();
  }
}

async function apply(client: pg.Client, { name, text, checksum }: Applied & { text: string }): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = '${BRIEF_LOCK}'`);
    await client.query(text);
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if (isLockFault(error)) throw error;
    throw new Error(
      `The migration ${name} failed and was rolled back: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/**
 * A database that was made by other migrations than ours cannot be brought up to date. One with migrations after ours was made by a
 * later version of this history and is taken: a release that is rolled back must start.
 */
function refuseOtherHistory(applied: readonly string[], files: readonly string[]): void {
  const newest = files.at(-1) ?? '';
  const strange = applied.find((name) => !files.includes(name) && name < newest);
  if (strange === undefined) return;
  throw new StartupFault(
    `The database was made by an earlier version of Carnet (it has the migration ${strange}), and its data cannot be taken over: ` +
      'begin again with npm run reset, or with another DATA_DIR; with a Postgres of your own, name a new, empty database in DATABASE_URL.',
  );
}
