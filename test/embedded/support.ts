import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../src/embedded/index.ts';
import type { Embedded, EmbeddedOptions } from '../../src/embedded/index.ts';

/** Starts both parts on a data directory, without any output. */
export const start = (dataDir: string, overrides: Partial<EmbeddedOptions> = {}): Promise<Required<Embedded>> =>
  startEmbedded({
    dataDir,
    postgres: true,
    temporal: true,
    postgresPort: 0,
    temporalPorts: { port: 0, uiPort: 0 },
    namespace: 'default',
    searchAttributes: [],
    progress: () => undefined,
    onLost: () => undefined,
    ...overrides,
  }) as Promise<Required<Embedded>>;

export interface Parent {
  process: ChildProcess;
  printed: { databaseUrl: string; temporalAddress: string; fault?: string };
}

const PARENT = fileURLToPath(new URL('parent.ts', import.meta.url));

/**
 * The parts in a process of their own, as npm would start it, ready or failed when this resolves. `through` is a command
 * that starts that process in its turn, and is then what `process` is.
 */
export const startParent = async (dataDir: string, through: string[] = []): Promise<Parent> => {
  const [command, ...args] = [...through, process.execPath, PARENT, dataDir];
  const child = spawn(command, args, {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, printed: JSON.parse(line) as Parent['printed'] };
};

interface Running {
  pid: number;
  command: string;
}

const everyProcess = (): Running[] => {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => {
        const [, pid = '', command = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
        return { pid: Number(pid), command };
      });
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') };
      } catch {
        return { pid: Number(name), command: '' };
      }
    });
};

/** Every process with this text in its command line, wrappers and watchers included, but for node's own. */
export const processesNaming = (text: string): Running[] =>
  everyProcess().filter(({ pid, command }) => pid !== process.pid && command.includes(text));

export const query = async (databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end().catch(() => undefined);
  }
};
