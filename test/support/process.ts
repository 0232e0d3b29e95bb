import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the project in a separate process, which a test may end in any way. */
export interface Started {
  pid: number;
  /** Everything it printed. */
  output(): string;
  /** Sends SIGTERM. @returns the exit code; null when a signal ended the process */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to this process only, and waits until it is gone. */
  kill(): Promise<void>;
  /** Resolves with the exit code or signal when the process ends. */
  ended: Promise<number | string>;
  /** False as soon as it has ended. */
  alive(): boolean;
}

/** A program that loads for a second leaves much garbage, which costs less to collect in larger pieces: a twelfth of the start. */
const HEAP = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

/**
 * Starts `node <script> <args>` in the project's folder. A fault point that is set for the tests themselves is not
 * passed on.
 */
export function startProgram(script: string, env: Record<string, string>, args: string[] = []): Started {
  const { FAULT_AT: _fault, ...inherited } = process.env;
  const child: ChildProcess = spawn(
    process.execPath,
    [...HEAP, fileURLToPath(new URL(`../../${script}`, import.meta.url)), ...args],
    {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  let alive = true;
  const ended = once(child, 'exit').then(([code, signal]) => {
    alive = false;
    return (code ?? signal ?? 'unknown') as number | string;
  });
  return {
    pid: child.pid as number, // a child that was spawned has one
    output: () => printed,
    ended,
    alive: () => alive,
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
