import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ScriptOutcome } from '../../src/sandbox/script-runner.ts';
import { endOf } from './support.ts';

const isRoot = process.getuid?.() === 0;
const NAMESPACES = 'namespaces without network and other processes';
const OWN_USER = 'a user id of its own';
const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs a script, and prints how it ended and what the runner wrote to the log. */
const PROGRAM = `
  import pino from 'pino';
  import { createScriptRunner } from ${url('../../activities/sandbox/index.ts')};
  import { buildRun } from ${url('support.ts')};
  const lines = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const runner = createScriptRunner({ log });
  const outcome = await runner.run(buildRun({ script: 'const main = ({ known }) => ({ known });' }));
  await runner.close();
  process.stdout.write(JSON.stringify({ outcome, lines }));`;

/** A command as a user who is not root, but may read all files of this project wherever it lies. */
const asSomebody = (command: string[]): string[] =>
  isRoot
    ? [
        'setpriv',
        '--reuid=12345',
        '--regid=12345',
        '--clear-groups',
        '--inh-caps=+dac_read_search',
        '--ambient-caps=+dac_read_search',
        ...command,
      ]
    : command;

/** A command on a machine on which nobody can execute `unshare`. */
const withoutUnshare = (command: string[]): string[] => [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  '--mount',
  '/bin/sh',
  '-c',
  'mount --bind /dev/null "$(command -v unshare)" && exec "$@"',
  'sh',
  ...command,
];

interface Line {
  level: number;
  msg: string;
  missing?: string[];
}

async function runBy(wrap: (command: string[]) => string[]): Promise<{ end: unknown; line: Line | undefined }> {
  const [command = '', ...given] = wrap([process.execPath, '--input-type=module', '--eval', PROGRAM]);
  const program = spawn(command, given, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, said, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'exit'),
  ]);
  assert.equal(code, 0, said);
  const { outcome, lines } = JSON.parse(printed) as { outcome: ScriptOutcome; lines: Line[] };
  return { end: endOf(outcome), line: lines[0] };
}

/** A line of the log, as pino writes it. */
const WARN = 40;

describe('walls that a system does not allow', function () {
  this.timeout(120_000);

  it('are named, and scripts run: for a user who is not root', async () => {
    const { end, line } = await runBy(asSomebody);
    assert.deepEqual(end, { known: 1 });
    assert.equal(line?.level, WARN);
    assert.ok(line.missing?.includes(OWN_USER), JSON.stringify(line));
    assert.match(line.msg, /^sandbox: scripts run without .*a user id of its own/);
  });

  it('are named, and scripts run: without unshare', async () => {
    const { end, line } = await runBy(withoutUnshare);
    assert.deepEqual(end, { known: 1 });
    assert.equal(line?.level, WARN);
    assert.deepEqual(line.missing, isRoot ? [NAMESPACES] : [NAMESPACES, OWN_USER]);
    assert.match(line.msg, /^sandbox: scripts run without namespaces without network/);
  });

  it('are named, and scripts run: with neither', async () => {
    const { end, line } = await runBy((command) => withoutUnshare(asSomebody(command)));
    assert.deepEqual(end, { known: 1 });
    assert.deepEqual(line?.missing, [NAMESPACES, OWN_USER]);
  });
});
