import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second in /proc, whatever its kernel counts in. */
const MS_A_TICK = 10;

/**
 * Measures what the Node of a child uses: resident memory, and processor time of all its threads since it began.
 * @param leader the process that was spawned: Node itself, or where namespaces stand, its parent
 * @returns undefined where the process is gone or the system has no /proc
 */
export function usageOf(leader: number, namespaced: boolean): { residentBytes: number; cpuMs: number } | undefined {
  try {
    const pid = namespaced ? nodeUnder(leader) : leader;
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (resident === undefined) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of a process stands in parentheses and may hold anything; the third field follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [fields[11], fields[12]];
    return { residentBytes: Number(resident) * 1024, cpuMs: (Number(user) + Number(system)) * MS_A_TICK };
  } catch {
    return undefined;
  }
}

/** The last child of `unshare`: the first one is the watcher, which the launcher has left there. */
function nodeUnder(leader: number): number {
  const children = readFileSync(`/proc/${leader}/task/${leader}/children`, 'utf8').trim().split(' ');
  return Number(children.at(-1));
}
