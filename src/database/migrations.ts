import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/** One migrator at a time: the others wait on this advisory lock. The number spells "carnet". */
const LOCK = 0x6361726e6574;

interface Applied {
  name: string;
  checksum: string;
}

/**
 * Applies what is missing of `migrations/NNNN-name.sql`, each file in a transaction of its own, in order.
 * @returns the names of the files applied now.
 * @throws StartupFault when the database cannot be reached or a file that was applied has changed since; Error naming the file that failed (it is rolled back).
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'carnet-migrate' });
  await client.connect().catch((error: Error) => {
    throw new StartupFault(
      `The database cannot be reached (${error.message}); check DATABASE_URL and that Postgres runs there.`,
    );
  });
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const applied = new Map(
      (await client.query<Applied>('select name, checksum from migrations')).rows.map((row) => [
        row.name,
        row.checksum,
      ]),
    );
    const now: string[] = [];
    for (const name of (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).toSorted()) {
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const before = applied.get(name);
      if (before === checksum) continue;
      if (before !== undefined) {
        throw new StartupFault(
          `The database was made by another version of Carnet: the migration ${name} is not the one that was applied; start that version, or use another DATA_DIR or DATABASE_URL.`,
        );
      }
      try {
        await client.query('begin');
        await client.query(text);
        await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(
          `The migration ${name} failed and was rolled back: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
      now.push(name);
    }
    return now;
  } finally {
    await client.end();
  }
}
