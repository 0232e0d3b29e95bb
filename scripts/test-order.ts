import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long each test file took when it was recorded last: seconds by path, the longest first; files under a second are left out. */
const TIMES = 'test/times.json';
/** Tests that cost minutes and guard what few changes touch: `npm run test:all` and CI run them too. */
const LONG = '.long.ts';

export const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.endsWith(LONG);

/** @returns every test file below `root`, by path; those of `npm run test:all` only where `all` is said */
export const testFiles = (root: string, all: boolean): string[] =>
  globSync('test/**/*.ts', { cwd: root })
    .filter((file) => isTest(file) && (all || !file.endsWith(LONG)))
    .toSorted();

/**
 * The files in the order in which a parallel run takes them: the longest first, so that its processes end together. A file that was not
 * recorded counts as short.
 */
export function longestFirst(root: string, files: string[]): string[] {
  const times = recordedTimes(root);
  return files.toSorted((one, other) => (times[other] ?? 0) - (times[one] ?? 0));
}

const recordedTimes = (root: string): Record<string, number> => JSON.parse(readFileSync(join(root, TIMES), 'utf8'));

/** Writes what a run has measured; files that it did not run keep their times, unless they are gone. @param seconds by path from `root` */
export function recordTimes(root: string, seconds: ReadonlyMap<string, number>): void {
  const there = new Set(testFiles(root, true));
  const listed = Object.entries({ ...recordedTimes(root), ...Object.fromEntries(seconds) })
    .filter(([file]) => there.has(file))
    .map(([file, time]) => [file, Math.round(time)] as const)
    .filter(([, time]) => time >= 1)
    .toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other));
  writeFileSync(join(root, TIMES), `${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`);
}
