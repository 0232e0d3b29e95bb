import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '../../src/seed.ts';
import { eventually } from './eventually.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** What tests need to know of a running instance; plain JSON, so that it crosses into mocha's parallel processes. */
export interface InstanceFacts {
  baseUrl: string;
  dataDir: string;
  databaseUrl: string;
  credentials: Credentials;
}

export interface Instance extends InstanceFacts {
  pid: number;
  /** Everything it printed. */
  output(): string;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL to the parent alone, waiting until it is gone. */
  kill(): Promise<void>;
  /** Resolves with the exit code or signal when the process ends by itself (a fault point). */
  ended: Promise<number | string>;
}

export interface InstanceOptions {
  env?: Record<string, string>;
  /** A data directory of an earlier instance; a fresh one otherwise. */
  dataDir?: string;
}

export const newDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'carnet-test-'));

export const removeDataDir = (dataDir: string): Promise<void> => rm(dataDir, { recursive: true, force: true });

/** A whole Carnet of its own (`src/main.ts` on embedded parts), ready when `/readyz` says so. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const { FAULT_AT: _fault, ...inherited } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { ...inherited, DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  let over = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    over = true;
    return (code ?? signal ?? 'unknown') as number | string;
  });
  const facts = await eventually(
    `instance in ${dataDir} to be ready`,
    async (): Promise<InstanceFacts | undefined> => {
      if (over) throw new Error(`The instance ended before it was ready. It printed:\n${printed}`);
      const running = JSON.parse(await readFile(join(dataDir, 'running.json'), 'utf8')) as { pid: number; base_url: string; database_url: string };
      if (running.pid !== child.pid) return undefined;
      const ready = await fetch(`${running.base_url}/readyz`);
      if (!ready.ok) return undefined;
      const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
      return { baseUrl: running.base_url, dataDir, databaseUrl: running.database_url, credentials };
    },
    { seconds: 300, ignoreErrors: () => !over },
  );
  return {
    ...facts,
    pid: child.pid as number, // a child that printed has one
    output: () => printed,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const how = await ended;
      return typeof how === 'number' ? how : null;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
