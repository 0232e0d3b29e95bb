import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from '../../src/process/seed.ts';
import { ampleLimits } from './ample-limits.ts';
import { newDataDir } from './data-dir.ts';
import { eventually } from './eventually.ts';
import { knownProviders } from './model-providers.ts';
import { startProgram, type Started } from './process.ts';
import { knownKeys } from './witnesses.ts';

/**
 * The facts that tests need to know about a running instance; plain JSON, so that it can be passed to mocha's parallel processes.
 */
export interface InstanceFacts {
  baseUrl: string;
  dataDir: string;
  databaseUrl: string;
  credentials: Credentials;
}

export type Instance = InstanceFacts & Started;

interface InstanceOptions {
  env?: Record<string, string>;
  /** A data directory of an earlier instance; a fresh one otherwise. */
  dataDir?: string;
}

/** Starts a separate Carnet (`src/main.ts` on embedded parts); it resolves when `/readyz` answers 200. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const program = startProgram('src/main.ts', {
    DATA_DIR: dataDir,
    PORT: '0',
    // Several instances run in parallel, and a part that dies must find its port free.
    TEMPORAL_PORT: '0',
    TEMPORAL_UI_PORT: '0',
    ...ampleLimits,
    ...knownKeys,
    ...knownProviders,
    OUTBOUND_ALLOW_LOOPBACK: 'true', // receivers of the tests are on this machine
    LOG_LEVEL: 'warn',
    ...options.env,
  });
  const facts = await eventually(
    `instance in ${dataDir} to be ready`,
    async (): Promise<InstanceFacts | 'ended' | undefined> => {
      if (!program.alive()) return 'ended';
      const running = JSON.parse(await readFile(join(dataDir, 'running.json'), 'utf8')) as {
        pid: number;
        base_url: string;
        database_url: string;
      };
      if (running.pid !== program.pid) return undefined;
      const ready = await fetch(`${running.base_url}/readyz`);
      if (!ready.ok) return undefined;
      const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
      return { baseUrl: running.base_url, dataDir, databaseUrl: running.database_url, credentials };
    },
    { seconds: 300, ignoreErrors: () => true },
  );
  if (facts === 'ended') throw new Error(`The instance ended before it was ready. It printed:\n${program.output()}`);
  return { ...facts, ...program };
}
