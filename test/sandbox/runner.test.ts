import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { eventually } from '../support/eventually.ts';
import { buildRun, buildRunner, endOf, isAlive, processesUnder } from './support.ts';
import { blockOf } from '../support/pasted.ts';

const LOOP = 'const main = () => { for (;;); };';
const RETURNS = 'const main = ({ known }) => ({ known });';

describe('the runner of scripts', function () {
  this.timeout(120_000);
  let runner: ScriptRunner;

  beforeEach(() => {
    runner = buildRunner();
  });
  afterEach(() => runner.close());

  it('gives input, output and what was printed', async () => {
    const script = 'async function main(input) { console.log("got", input); return { ...input, more: [1] }; }';
    const outcome = await runner.run(buildRun({ script }));
    assert.equal(outcome.outcome, 'returned');
    assert.equal(outcome.output, '{"known":1,"more":[1]}');
    assert.equal(outcome.console, 'got {"known":1}\n');
    assert.ok(Number.isInteger(outcome.computeMs) && outcome.computeMs >= 1);
  });

  it('shows the exception with its line, and says nothing of the script in its sentence', async () => {
    const outcome = await runner.run(buildRun({ script: 'function main() {\n  throw new TypeError("private");\n}' }));
    assert.equal(outcome.outcome, 'failed');
    assert.match(outcome.console, /TypeError: private\n {4}at main \(script\.js:2/);
    assert.doesNotMatch(outcome.message, /private|script\.js/);
  });

  it('ends a run whose signal is aborted, and runs the next one', async () => {
    const stop = new AbortController();
    const looping = runner.run(buildRun({ script: `console.log('begun');${LOOP}`, signal: stop.signal }));
    const waiting = runner.run(buildRun({ script: RETURNS, caller: 'op_2' }));
    stop.abort();
    assert.equal((await looping).outcome, 'interrupted');
    assert.deepEqual(endOf(await waiting), { known: 1 });
  });

  it('is interrupted where the process is killed from outside, and runs the next one', async () => {
    const before = new Set(processesUnder(process.pid));
    const looping = runner.run(buildRun({ script: LOOP }));
    const node = await eventually('a process that runs the script', () =>
      processesUnder(process.pid).find((pid) => !before.has(pid) && isBusy(pid)),
    );
    process.kill(node, 'SIGKILL');
    assert.equal((await looping).outcome, 'interrupted');
    assert.deepEqual(endOf(await runner.run(buildRun({ script: RETURNS }))), { known: 1 });
  });

  it('leaves no process when its parent is killed in an endless loop', async () => {
    const program = `
      import { buildRun, buildRunner } from ${JSON.stringify(new URL('support.ts', import.meta.url).href)};
      await buildRunner().run(buildRun({ script: ${JSON.stringify(LOOP)} }));`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    const pid = parent.pid ?? 0;
    await eventually('a process that runs the script', () => processesUnder(pid).some(isBusy));
    const children = processesUnder(pid);
    parent.kill('SIGKILL');
    await eventually('the end of all of them', () => !children.some(isAlive));
  });

  it('leaves no process that nobody waits for, though its own is the first of a container', async () => {
    const program = `
      import { readFileSync } from 'node:fs';
      import { buildRun, buildRunner, processesUnder } from ${JSON.stringify(new URL('support.ts', import.meta.url).href)};
      import { eventually } from ${JSON.stringify(new URL('../support/eventually.ts', import.meta.url).href)};
      const runner = buildRunner();
      await runner.run(buildRun({ script: ${JSON.stringify(RETURNS)} }));
      await runner.run(buildRun({ script: 'JSON.parse("[".repeat(1e6))' }));
      await runner.close();
      await eventually('the end of all processes', () => processesUnder(1).length === 0);`;
    const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const container = ['--pid', '--fork', '--mount-proc', process.execPath, '--input-type=module', '--eval', program];
    const first = spawn('unshare', [...asRoot, ...container], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(first.stderr), once(first, 'exit')]);
    assert.equal(code, 0, said);
  });

  it('refuses a package that the runtime lacks', async () => {
    const outcome = await runner.run(buildRun({ runtime: 'python', script: '', dependencies: ['numpy'] }));
    assert.equal(endOf(outcome), 'SCRIPT_FAILED');
    assert.match((outcome as { console: string }).console, /no package "numpy"/);
  });

  it('runs nothing once it is closed', async () => {
    await runner.close();
    assert.equal((await runner.run(buildRun({ script: RETURNS }))).outcome, 'interrupted');
  });

  it('runs the examples of docs/sandbox.md as they stand', async () => {
    const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    const example = (language: string, at: number): string =>
      [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))][at]?.[1] ?? '';
    const input = example('json', 0);
    const expected = JSON.parse(example('json', 1)) as object;
    const [javascriptOf, pythonOf, throwing] = await Promise.all([
      blockOf('docs/sandbox.md', 'javascript'),
      blockOf('docs/sandbox.md', 'python'),
      blockOf('docs/sandbox.md', 'throws'),
    ]);
    const javascript = await runner.run(buildRun({ script: javascriptOf.code, input }));
    assert.deepEqual(endOf(javascript), expected);
    const python = await runner.run(buildRun({ runtime: 'python', script: pythonOf.code, input }));
    assert.deepEqual(endOf(python), expected);
    const failed = await runner.run(buildRun({ script: throwing.code, input }));
    assert.equal(endOf(failed), 'SCRIPT_FAILED');
    assert.equal((failed as { console: string }).console, example('text', 0));
  });
});

/** Whether a process is a Node that has used half a second of processor time. */
function isBusy(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) > 50;
  } catch {
    return false;
  }
}
