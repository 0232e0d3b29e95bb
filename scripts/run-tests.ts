import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BACKGROUND_NICENESS } from '../src/embedded/child.ts';
import { longestFirst, testFiles } from './test-order.ts';
import { changedSince, readImports, testsOfChange } from './tests-of-change.ts';

/**
 * `npm test`: the tests of every change. `npm run test:all`: the long ones too, and every case of what `npm test` tries in part, as
 * `EVERY_CASE=true` asks of the tests. `npm test -- test/mail/*.test.ts`: these files.
 * `npm test -- --changed`: what differs from the last commit, and `--changed=main` from a revision. `--record` notes how long each file
 * took, by which later runs share the files out. All else is mocha's own: `npm test -- --grep wallet`.
 */
const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const changed = given.find((argument) => /^--changed(=|$)/.test(argument));
const all = given.includes('--all');
const record = given.includes('--record') ? ['--reporter-option', 'record=true'] : [];
/** Two files at a time leave 40 % of two cores idle and three leave 16 %, so four run; the long tests are about a machine that is full already. */
const jobs = all && !given.includes('--jobs') ? ['--jobs', '2'] : [];
const others = given.filter((argument) => argument !== changed && !['--all', '--record'].includes(argument));

const named = others.some((argument) => argument.startsWith('test/'));
const specs =
  changed !== undefined
    ? testsOfChange(readImports(root), changedSince(root, changed.split('=')[1] ?? 'HEAD'))
    : named
      ? []
      : longestFirst(root, testFiles(root, all));
if (changed !== undefined && specs.length === 0) {
  console.log('No test is touched by what has changed.\n0 passed, 0 failed');
} else {
  if (all) process.env.EVERY_CASE = 'true';
  shareWithTemporal();
  // The processes that take the files inherit it: less is moved between the spaces of the heap. Three folders took 80.0 s of processor time in place of 83.4.
  process.execArgv.push('--min-semi-space-size=16', '--max-semi-space-size=64');
  process.argv.splice(2, Infinity, ...record, ...jobs, ...others, ...specs);
  // mocha's own program, so that its settings and flags hold as everywhere.
  createRequire(import.meta.url)('mocha/bin/mocha.js');
}

/**
 * Where Linux schedules by sessions, the Temporal server of an instance, which is in one of its own, stands back behind all else. A suite that
 * fills the machine would leave it a thirtieth, and tests of lives would wait in vain: so the suite stands back as far, until it ends.
 */
function shareWithTemporal(): void {
  const group = '/proc/self/autogroup';
  const set = (niceness: number): void => {
    try {
      writeFileSync(group, String(niceness));
    } catch {
      // Only root may set a group before others, and nobody may in some containers.
    }
  };
  if (!existsSync(group)) return;
  const before = Number(/nice (-?\d+)/.exec(readFileSync(group, 'utf8'))?.[1]);
  if (before >= BACKGROUND_NICENESS) return;
  set(BACKGROUND_NICENESS);
  process.once('exit', () => set(before));
}
