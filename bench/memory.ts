import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended, or this is not Linux
  }
};

const cwdOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
};

const MIB = 1_024;

/** MiB of memory of a process; of shared memory its share (PSS). */
export const memoryOf = (pid: number | string): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / MIB;

/** MiB of all processes that run in a folder or name it in their command: the embedded parts. */
export function memoryUnder(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const there = pids.filter((pid) => cwdOf(pid).startsWith(folder) || read(`/proc/${pid}/cmdline`).includes(folder));
  return there.reduce((sum, pid) => sum + memoryOf(pid), 0);
}
