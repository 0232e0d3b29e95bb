import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { complaintIn, startChild } from './child.ts';
import type { Child } from './child.ts';
import { keepAlive } from './keep-alive.ts';
import { stopLeftover } from './leftover.ts';
import type { EmbeddedPart } from './part.ts';
import { freePort, LOOPBACK } from './ports.ts';
import { asPostgres, damaged, preparePostgres, USER } from './postgres-data.ts';
import type { PostgresHome } from './postgres-data.ts';
import { settingArguments } from './postgres-settings.ts';

const DATABASE = 'carnet';

/** After a crash Postgres first replays its log, max_wal_size at most. */
const READY_MS = 120_000;

const LOOK_AGAIN_MS = 25;

/** Refused, reset, and "the database system is starting up". */
const NOT_YET = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const databaseUrl = (home: PostgresHome, port: number, database: string): string =>
  `postgres://${USER}:${home.password}@${LOOPBACK}:${port}/${database}`;

const createDatabase = async (home: PostgresHome, port: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl(home, port, 'postgres') });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const launch = async (home: PostgresHome, port: number): Promise<Child> => {
  // A postmaster.pid whose number belongs to another living process would keep Postgres from starting.
  await stopLeftover({ pidFile: join(home.data, 'postmaster.pid'), mark: home.data, stopSignal: 'SIGINT' });
  const args = ['-D', home.data, '-h', LOOPBACK, '-p', String(port), '-k', '', ...settingArguments()];
  return startChild(asPostgres(home, home.postgres, args));
};

const ready = async (home: PostgresHome, port: number, child: Child): Promise<void> => {
  let gone = false;
  void child.exited.then(() => (gone = true));
  const giveUp = performance.now() + READY_MS;
  for (;;) {
    try {
      return await createDatabase(home, port);
    } catch (error) {
      if (gone) throw damaged(home, complaintIn(child.output()));
      const reason = error instanceof Error ? error.message : String(error);
      if (!NOT_YET.has(codeOf(error))) throw damaged(home, reason);
      if (performance.now() > giveUp) throw damaged(home, `it did not serve within ${READY_MS / 1000} s: ${reason}`);
    }
    await sleep(LOOK_AGAIN_MS);
  }
};

/**
 * Starts Postgres 18 on its data below `dataDir`, making that first where there is none, and keeps it running.
 *
 * @throws StartupFault when it can't run here or its data can't be used
 */
export const startPostgres = async ({
  dataDir,
  progress,
  onLost,
}: EmbeddedPart): Promise<{ databaseUrl: string; stop(): Promise<void> }> => {
  const home = await preparePostgres(dataDir, progress);
  const port = await freePort();
  const { stop } = await keepAlive({
    launch: () => launch(home, port),
    ready: (child) => ready(home, port, child),
    onLost,
    onRetry: (reason, delayMs) => progress(`Postgres is not back yet, next try in ${delayMs / 1000} s: ${reason}`),
  });
  return { databaseUrl: databaseUrl(home, port, DATABASE), stop };
};
