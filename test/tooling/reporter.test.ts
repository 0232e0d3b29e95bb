import assert from 'node:assert/strict';
import Mocha from 'mocha';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { format } from 'node:util';
import CountingSpec from '../support/reporter.ts';

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

describe('the reporter of the test suite', () => {
  it('prints every ten seconds without another line that the tests still run', () => {
    mock.timers.enable({ apis: ['setInterval', 'Date'] });
    const printing = mock.method(Mocha.reporters.Base, 'consoleLog', () => {});
    try {
      const stats = { passes: 3, failures: 1, duration: 1_000 };
      const runner = Object.assign(new Mocha.Runner(new Mocha.Suite('', new Mocha.Context()), {}), { stats });
      assert(new CountingSpec(runner).stats === runner.stats);
      const linesAfter = (seconds: number): string[] => {
        printing.mock.resetCalls();
        for (let second = 0; second < seconds; second++) mock.timers.tick(1_000);
        return printing.mock.calls.map((call) => format(...(call.arguments as unknown[])));
      };
      assert.deepEqual(linesAfter(6), []);
      runner.emit('suite', new Mocha.Suite('a suite'));
      assert.deepEqual(linesAfter(10), ['  … 16 s, 3 passed and 1 failed so far']);
      runner.emit('end');
      assert.deepEqual(linesAfter(60), []);
    } finally {
      printing.mock.restore();
      mock.timers.reset();
    }
  });
});

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
