import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lastErrorLine, startChild } from './child.ts';
import type { Child } from './child.ts';
import { startWithRestarts } from './restart-child.ts';
import { stopLeftover } from './leftover.ts';
import type { EmbeddedPart } from './part.ts';
import { LOOPBACK, portOrFreeOne } from './ports.ts';
import { asPostgres, damaged, preparePostgres, USER } from './postgres-data.ts';
import type { PostgresHome } from './postgres-data.ts';
import { settingArguments } from './postgres-settings.ts';

const DATABASE = 'carnet';

/** After a crash Postgres first replays its log, max_wal_size at most. */
const READY_MS = 120_000;

const RETRY_MS = 25;

/** Refused, reset, and "the database system is starting up". */
const STARTING_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function databaseUrl(home: PostgresHome, port: number, database: string): string {
  return `postgres://${USER}:${home.password}@${LOOPBACK}:${port}/${database}`;
}

async function createDatabase(home: PostgresHome, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(home, port, 'postgres') });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function launch(home: PostgresHome, port: number): Promise<Child> {
  // A postmaster.pid whose number belongs to another living process would keep Postgres from starting.
  await stopLeftover({ pidFile: join(home.data, 'postmaster.pid'), mark: home.data, stopSignal: 'SIGINT' });
  const args = ['-D', home.data, '-h', LOOPBACK, '-p', String(port), '-k', '', ...settingArguments()];
  return startChild(asPostgres(home, home.postgres, args));
}

async function waitUntilReady(home: PostgresHome, port: number, child: Child): Promise<void> {
  let exited = false;
  void child.exited.then(() => (exited = true));
  const deadline = performance.now() + READY_MS;
  for (;;) {
    try {
      return await createDatabase(home, port);
    } catch (error) {
      if (exited) throw damaged(home, lastErrorLine(child.output()));
      const reason = error instanceof Error ? error.message : String(error);
      if (!STARTING_CODES.has(codeOf(error))) throw damaged(home, reason);
      if (performance.now() > deadline) throw damaged(home, `it did not serve within ${READY_MS / 1000} s: ${reason}`);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * Starts Postgres 18 on its data below `dataDir`, which is made first where there is none, and restarts it when it ends.
 * @param port where it listens; where another program has it, and for 0, a free one
 *
 * @throws StartupFault when it can't run here or its data can't be used
 */
export async function startPostgres({
  dataDir,
  progress,
  onLost,
  port: wished,
}: EmbeddedPart & { port: number }): Promise<{ databaseUrl: string; stop(): Promise<void> }> {
  const home = await preparePostgres(dataDir, progress);
  const port = await portOrFreeOne(wished);
  const { stop } = await startWithRestarts({
    launch: () => launch(home, port),
    ready: (child) => waitUntilReady(home, port, child),
    onLost,
    onRetry: (reason, delayMs) => progress(`Postgres did not restart, next try in ${delayMs / 1000} s: ${reason}`),
  });
  return { databaseUrl: databaseUrl(home, port, DATABASE), stop };
}
