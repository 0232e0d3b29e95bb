import { execFileSync, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const cores = availableParallelism();
const canPin = cores > 1 && spawnSync('taskset', ['--version']).error === undefined;

/** The command that runs what is measured: on the first core, where nothing else of the bench runs. */
export const onServerCore = (command: string, args: string[]): [string, string[]] =>
  canPin ? ['taskset', ['-c', '0', command, ...args]] : [command, args];

/** Keeps this process and what it starts (Postgres, Temporal, load) off the first core. @returns false without `taskset` or a second core. */
export function pinLoad(): boolean {
  if (!canPin) return false;
  const others = cores === 2 ? '1' : `1-${cores - 1}`;
  execFileSync('taskset', ['-a', '-c', '-p', others, String(process.pid)]);
  return true;
}
