import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/database/migrations.ts';
import { onStopSignal, startEmbedded, type Embedded } from '../src/embedded/index.ts';
import { searchAttributes } from '../temporal/search-attributes.ts';
import { startServer, type Server, type ServerName } from './server.ts';
import { makeWorld, type World } from './world.ts';

export interface Lab {
  quick: boolean;
  /** Pairs of runs: five, or one for a quick run. */
  rounds: number;
  log(line: string): void;
  dataDir: string;
  /** Seconds of one run; half a second for a quick run. */
  seconds(usual: number): number;
  /** An empty database of its own on the embedded Postgres. @returns its URL */
  newDatabase(name: string): Promise<string>;
  /** A database of its own, migrated, with a paid skill, its publisher and a consumer with enough money. */
  newWorld(name: string): Promise<World>;
  /** Address of the embedded Temporal server, started at the first call. */
  temporalAddress(): Promise<string>;
  start(name: ServerName, settings: object): Promise<Server>;
  /** Stops all that was started, newest first, and deletes the data. */
  close(): Promise<void>;
  /** Makes `close` call `stop`. */
  onClose(stop: () => Promise<unknown>): void;
}

/** A temporary data directory with the Postgres that `npm start` runs, and on request its Temporal server. */
export async function openLab({ quick, log }: Pick<Lab, 'quick' | 'log'>): Promise<Lab> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carnet-bench-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const onClose = (stop: () => Promise<unknown>): void => void closers.unshift(stop);
  const closeAll = async (): Promise<void> => {
    for (const stop of closers.splice(0)) await stop();
  };
  // Once, and every caller waits for it: a bench that is stopped half way fails while the first call still runs.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  onStopSignal(() => void close().finally(() => process.exit(1)));
  const part = async (name: 'postgres' | 'temporal'): Promise<Embedded> => {
    const started = await startEmbedded({
      dataDir: join(dataDir, name),
      postgres: name === 'postgres',
      temporal: name === 'temporal',
      postgresPort: 0,
      temporalPorts: { port: 0, uiPort: 0 },
      namespace: 'default',
      searchAttributes,
      progress: log,
      onLost: (lost) => log(`${lost} ended by itself: the figures of this run are worth nothing`),
    });
    onClose(() => started.stop());
    return started;
  };

  const { databaseUrl } = await part('postgres').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  if (databaseUrl === undefined) throw new Error('The embedded Postgres gave no address.');
  let temporal: Promise<Embedded> | undefined;

  const newDatabase = async (name: string): Promise<string> => {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = new URL(databaseUrl);
    url.pathname = name;
    return url.href;
  };

  return {
    quick,
    rounds: quick ? 1 : 5,
    log,
    dataDir,
    seconds: (usual) => (quick ? 0.5 : usual),
    newDatabase,
    async newWorld(name) {
      const url = await newDatabase(name);
      await migrate(url);
      return makeWorld(url);
    },
    async temporalAddress() {
      const { temporalAddress } = await (temporal ??= part('temporal'));
      if (temporalAddress === undefined) throw new Error('The embedded Temporal server gave no address.');
      return temporalAddress;
    },
    async start(name, settings) {
      const server = await startServer(name, settings, join(dataDir, 'logs'));
      onClose(() => server.stop());
      return server;
    },
    onClose,
    close,
  };
}
