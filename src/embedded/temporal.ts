import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastErrorLine, startChild } from './child.ts';
import type { Child } from './child.ts';
import { startWithRestarts } from './restart-child.ts';
import { stopLeftover } from './leftover.ts';
import type { EmbeddedPart } from './part.ts';
import { assertPortFree, LOOPBACK, portOrFreeOne } from './ports.ts';
import { StartupFault } from '../errors/startup-fault.ts';
import { findTemporal } from './temporal-binary.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import type { NamespaceOptions } from './temporal-namespace.ts';

/** Ports to listen on where they are free, the same at each start; 0: any free one. */
export interface TemporalPorts {
  port: number;
  uiPort: number;
}

interface TemporalHome extends NamespaceOptions, TemporalPorts {
  binary: string;
  /** Has the database, a file and its write-ahead log. */
  folder: string;
  database: string;
  pidFile: string;
  logFile: string;
}

/** A server with an intact file serves within a second. */
const READY_MS = 60_000;

const RETRY_MS = 25;

/**
 * With write-ahead logging and one partition the server starts twice as many runs a second: by default it waits for the
 * disk several times a run and spreads few workers over four partitions.
 */
const TUNING = [
  '--sqlite-pragma',
  'journal_mode=wal',
  '--sqlite-pragma',
  'synchronous=normal',
  '--dynamic-config-value',
  'matching.numTaskqueueReadPartitions=1',
  '--dynamic-config-value',
  'matching.numTaskqueueWritePartitions=1',
  // Operators take turns in a queue of waiting tasks; without it the keys that runs start with change nothing.
  '--dynamic-config-value',
  'matching.enableFairness=true',
];

const stopLeftoverOf = ({ pidFile, database }: Pick<TemporalHome, 'pidFile' | 'database'>): Promise<void> =>
  stopLeftover({ pidFile, mark: database, stopSignal: 'SIGTERM' });

async function launch(home: TemporalHome): Promise<Child> {
  await stopLeftoverOf(home);
  // On a port that is taken the server would neither serve nor end.
  for (const port of [home.port, home.uiPort]) {
    await assertPortFree(port).catch(() => {
      throw new PortLost(`Another program has taken port ${port} from the Temporal server: start again.`);
    });
  }
  const args = [
    'server',
    'start-dev',
    '--ip',
    LOOPBACK,
    '--port',
    String(home.port),
    '--ui-port',
    String(home.uiPort),
    '--namespace',
    home.namespace,
    '--db-filename',
    home.database,
    '--log-level',
    'warn',
    '--ui-disable-news-fetch',
    ...TUNING,
  ];
  const { binary: command, logFile, pidFile } = home;
  return startChild({ command, args, logFile, pidFile, stopSignal: 'TERM', background: true });
}

/** The server chooses some ports by itself, and another program may take one before it listens there. */
class PortLost extends StartupFault {}

/** Starts that may fail because a port was lost. */
const MAX_TRIES = 3;

async function waitUntilReady(home: TemporalHome, child: Child): Promise<void> {
  let exited = false;
  void child.exited.then(() => (exited = true));
  const deadline = performance.now() + READY_MS;
  for (;;) {
    try {
      return await prepareNamespace(`${LOOPBACK}:${home.port}`, home);
    } catch (error) {
      if (exited || performance.now() > deadline) {
        if (exited && child.output().includes('address already in use')) {
          throw new PortLost(
            `The Temporal server lost a port to another program as it started (${lastErrorLine(child.output())}): start again.`,
          );
        }
        const why = exited ? lastErrorLine(child.output()) : error instanceof Error ? error.message : String(error);
        throw new StartupFault(
          `The Temporal server does not start on ${home.folder} (${why}; log: ${home.logFile}): put a backup of that folder in its place, or move it away to begin with an empty one.`,
        );
      }
    }
    await sleep(RETRY_MS);
  }
}

/**
 * Starts the local Temporal server with its web UI on its file below `dataDir`, and restarts it when it ends. The binary
 * is fetched where there is none.
 *
 * @throws StartupFault when no server can be found or fetched, or its file can't be used
 */
export async function startTemporal({
  dataDir,
  progress,
  onLost,
  namespace,
  searchAttributes,
  port,
  uiPort,
}: EmbeddedPart & NamespaceOptions & TemporalPorts): Promise<{
  temporalAddress: string;
  temporalUiUrl: string;
  stop(): Promise<void>;
}> {
  const binary = await findTemporal({ dataDir, progress });
  const folder = join(dataDir, 'temporal');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place = {
    namespace,
    searchAttributes,
    binary,
    folder,
    database: join(folder, 'server.db'),
    pidFile: join(folder, 'server.pid'),
    logFile: join(dataDir, 'logs', 'temporal.log'),
  };
  // One that outlived its parent still has the ports that this start wishes for.
  await stopLeftoverOf(place);
  const start = async (
    wished: TemporalPorts,
    triesLeft: number,
  ): Promise<TemporalPorts & { stop(): Promise<void> }> => {
    const home: TemporalHome = {
      ...place,
      port: await portOrFreeOne(wished.port),
      uiPort: await portOrFreeOne(wished.uiPort),
    };
    try {
      const { stop } = await startWithRestarts({
        launch: () => launch(home),
        ready: (child) => waitUntilReady(home, child),
        onLost,
        onRetry: (reason, delayMs) => progress(`Temporal did not restart, next try in ${delayMs / 1000} s: ${reason}`),
      });
      return { port: home.port, uiPort: home.uiPort, stop };
    } catch (error) {
      if (error instanceof PortLost && triesLeft > 0) return start({ port: 0, uiPort: 0 }, triesLeft - 1);
      throw error;
    }
  };
  const started = await start({ port, uiPort }, MAX_TRIES - 1);
  return {
    temporalAddress: `${LOOPBACK}:${started.port}`,
    temporalUiUrl: `http://${LOOPBACK}:${started.uiPort}`,
    stop: started.stop,
  };
}
