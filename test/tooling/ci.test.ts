import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const run = join(import.meta.dirname, '../../.ci/run');

/** The act of each program of CI in a test: a line of sh; a program that is not named prints its name and passes. */
type Programs = Partial<Record<'node' | 'oxfmt' | 'oxlint' | 'tsc' | 'mocha', string>>;

/** `node` whose run of the tests is this line of sh. */
const running = (tests: string): Programs => ({
  node: `case "$*" in *run-tests*) ${tests};; *) echo "node $*";; esac`,
});

/** Runs the script in an empty project whose programs are replaced: tested are order, exit codes and last lines. */
function ci(programs: Programs) {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-ci-'));
  try {
    mkdirSync(join(folder, '.ci'));
    cpSync(run, join(folder, '.ci/run'));
    const passing = {
      ...running('echo "$*"; echo "3 passed, 0 failed"'),
      oxfmt: 'echo oxfmt',
      oxlint: 'echo oxlint',
      tsc: 'echo tsc',
      mocha: 'echo mocha',
    };
    for (const [name, line] of Object.entries({ ...passing, ...programs })) {
      const path = join(folder, 'node_modules/.bin', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `#!/bin/sh\n${line}\n`);
      chmodSync(path, 0o755);
    }
    const { status, stdout } = spawnSync('bash', ['.ci/run'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` },
    });
    const lines = stdout.trimEnd().split('\n');
    return { status, lastLine: lines.at(-1), headings: lines.filter((line) => /^== [^:]*$/.test(line)), stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('.ci/run', () => {
  it('runs every stage and ends with the counts of the tests', () => {
    const { status, lastLine, headings, stdout } = ci({});
    assert.deepEqual([status, lastLine], [0, '3 passed, 0 failed']);
    assert.deepEqual(headings, [
      '== install',
      '== browser',
      '== format',
      '== lint',
      '== import law',
      '== module state',
      '== references',
      '== words',
      '== SQL',
      '== types',
      '== openapi.json is fresh',
      '== the core of the SDK is fresh',
      '== the types of the SDK in Python are fresh',
      '== openapi.json for client generators',
      '== docker-compose.yml',
      '== tests',
    ]);
    assert.match(stdout, /== tests\nscripts\/run-tests.ts --all --forbid-only --forbid-pending\n/);
  });

  it('stops at the first stage that fails, names it and counts it as one failure', () => {
    const { status, lastLine, headings, stdout } = ci({ tsc: 'echo "a type is wrong"; exit 2' });
    assert.deepEqual([status, lastLine, headings.at(-1)], [2, '0 passed, 1 failed', '== types']);
    assert.match(stdout, /\ntypes failed with exit code 2: tsc --noEmit\n/);
  });

  it('stops at a failed install', () => {
    const { status, headings } = ci({ node: 'exit 1' });
    assert.deepEqual([status, headings], [1, ['== install']]);
  });

  it('passes on the counts and the exit code of failed tests', () => {
    const { status, lastLine } = ci(running('echo "2 passed, 7 failed"; exit 7'));
    assert.deepEqual([status, lastLine], [7, '2 passed, 7 failed']);
  });

  it('repeats the counts when something printed after them', () => {
    const { status, lastLine } = ci(running('echo "3 passed, 0 failed"; echo "postgres: shutting down" >&2'));
    assert.deepEqual([status, lastLine], [0, '3 passed, 0 failed']);
  });

  it('fails a test run that died before it counted', () => {
    const { status, lastLine } = ci(running('echo "Segmentation fault"; exit 139'));
    assert.deepEqual([status, lastLine], [139, '0 passed, 1 failed']);
  });

  it('fails a test run that died after it counted', () => {
    const { status, lastLine } = ci(running('echo "3 passed, 0 failed"; exit 1'));
    assert.deepEqual([status, lastLine], [1, '3 passed, 1 failed']);
  });

  it('fails when no test ran', () => {
    const { status, lastLine } = ci(running('exit 0'));
    assert.deepEqual([status, lastLine], [1, '0 passed, 1 failed']);
  });
});
