import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mocha = new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url).pathname;
const reporter = new URL('../support/reporter.ts', import.meta.url).pathname;

/** Runs mocha on temporary specs in a process of its own; each spec is the body of a file. */
function runSpecs(specs: string[], ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-reporter-'));
  try {
    specs.forEach((body, index) => writeFileSync(join(folder, `spec-${index}.cjs`), body));
    const { status, stdout } = spawnSync(
      process.execPath,
      [mocha, '--no-config', '--reporter', reporter, ...flags, `${folder}/*.cjs`],
      { cwd: folder, encoding: 'utf8' },
    );
    return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passing = `it('holds', () => {});`;
const failing = `it('breaks', () => { throw new Error('broken'); });`;
const failingHook = `describe('a suite', () => { before(() => { throw new Error('no set-up'); }); it('never runs', () => {}); });`;

describe('the closing line of the test suite', () => {
  for (const flags of [[], ['--parallel']]) {
    describe(flags[0] ?? 'one process', () => {
      it('counts what passed and leaves exit code 0', () => {
        assert.deepEqual(runSpecs([passing, passing], ...flags), { status: 0, lastLine: '2 passed, 0 failed' });
      });

      it('counts what failed and leaves the exit code to mocha', () => {
        assert.deepEqual(runSpecs([passing, failing, failing], ...flags), {
          status: 2,
          lastLine: '1 passed, 2 failed',
        });
      });

      it('counts a failed hook as a failure', () => {
        assert.deepEqual(runSpecs([passing, failingHook], ...flags), { status: 1, lastLine: '1 passed, 1 failed' });
      });
    });
  }
});
