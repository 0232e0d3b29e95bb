import type pg from 'pg';
import { BRIEF_LOCK } from './brief-locks.ts';
import { dropSchema, INSTALLED_AT, IS_OURS, lockOf, ownRelease, RELEASE_LOCKS, type Release } from './functions.ts';

/**
 * Drops releases that nobody uses: never `keep`, never one of the newest two, never one younger than an hour, so that a release that is
 * being rolled out or back finds its functions. One that something outside of it depends on stays, since dropping that as well could
 * take a column with its data. Schemas that do not say when Carnet installed them, or say a moment to come (a clock was wrong), stay
 * too, and are none of the newest two.
 * @returns the schemas that were dropped.
 */
export async function dropUnusedReleases(client: pg.Client, keep: Release = ownRelease()): Promise<string[]> {
  const { rows } = await client.query<{ schema: string }>(
    `select schema from (
       select nspname as schema, installed_at, row_number() over (order by installed_at desc) as place
       from pg_namespace n, lateral (select ${INSTALLED_AT} as installed_at) as comment
       where nspname ~ '^fn_[0-9a-f]{8}$' and ${IS_OURS} and installed_at <= now()) releases
     where place > 2 and installed_at < now() - interval '1 hour' and schema <> $1`,
    [keep.schema],
  );
  const dropped: string[] = [];
  for (const { schema } of rows) if (await dropUnused(client, schema)) dropped.push(schema);
  return dropped;
}

/** These stay: what is depended on, what only its owner may drop, and what somebody holds: the next start drops that. */
const STAYS: ReadonlySet<string | undefined> = new Set(['2BP01', '42501', '55P03']);

async function dropUnused(client: pg.Client, schema: string): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${BRIEF_LOCK}'`);
    const { rows } = await client.query<{ unused: boolean }>('select pg_try_advisory_xact_lock($1, $2) as unused', [
      RELEASE_LOCKS,
      lockOf(schema),
    ]);
    const unused = rows[0]?.unused === true;
    if (unused) await dropSchema(client, schema);
    await client.query('commit');
    return unused;
  } catch (error) {
    await client.query('rollback');
    if (STAYS.has((error as { code?: string }).code)) return false;
    throw error;
  }
}
