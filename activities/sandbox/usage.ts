import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second in /proc/PID/stat, no matter what its kernel counts in. */
const MS_A_TICK = 10;
const NS_A_MS = 1_000_000;

/**
 * Measures what the Node of a child uses: resident memory, and processor time of all its threads since it began, in whole ticks of 10 ms.
 * @param pid of that Node
 * @returns undefined where the process is gone or the system has no /proc
 */
export function usageOf(pid: number): { residentBytes: number; cpuMs: number } | undefined {
  try {
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return resident === undefined ? undefined : { residentBytes: Number(resident) * 1024, cpuMs: ticksOf(pid) };
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds of processor time that a process has used since it began, for charging: by the nanoseconds of its threads where the kernel
 * shows them. What a thread that is gone has used is in the ticks alone, so the larger of both counts.
 * @returns undefined as `usageOf`
 */
export function cpuMsOf(pid: number): number | undefined {
  try {
    return Math.max(ticksOf(pid), threadsMsOf(pid));
  } catch {
    return undefined;
  }
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of a process stands in parentheses and may hold anything; the third field follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]];
  return (Number(user) + Number(system)) * MS_A_TICK;
}

function threadsMsOf(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / NS_A_MS;
    } catch {
      // The thread ended since it was listed, or this kernel does not show it.
    }
  }
  return sum;
}

/**
 * The Node of a child, under the shell that launched it; the watcher is that shell's second child.
 * @param leader the process that was spawned: that shell, or where namespaces stand, its parent
 * @returns undefined where the process is gone or the system does not show it
 */
export function nodeUnder(leader: number, namespaced: boolean): number | undefined {
  try {
    return firstChildOf(namespaced ? firstChildOf(leader) : leader);
  } catch {
    return undefined;
  }
}

function firstChildOf(pid: number): number {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (!first) throw new Error(`The process ${pid} has no child.`);
  return Number(first);
}
