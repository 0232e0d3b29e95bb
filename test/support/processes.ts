import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the children of a process, read from /proc. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
}

/** The field after the state in /proc/PID/stat. The name before it may contain anything, so the last `)` ends it. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // it ended since it was listed
  }
}
