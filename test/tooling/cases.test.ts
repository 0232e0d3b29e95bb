import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { casesOf } from '../support/cases.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const SHOWN = `
  const { casesOf, roundsOf, everyCase } = await import('./test/support/cases.ts');
  console.log(JSON.stringify([casesOf(['a', 'b', 'c'], (one) => one === 'b'), roundsOf(20, 5), everyCase]));`;

describe('The cases that a run tries', function () {
  this.timeout(60_000);
  const shownWith = async (asked: string): Promise<unknown> => {
    const env = { ...process.env, EVERY_CASE: asked };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SHOWN], { cwd: ROOT, env });
    return JSON.parse(stdout);
  };

  it('are some in `npm test`, and all where every case is asked for', async () => {
    assert.deepEqual(await shownWith(''), [['b'], 5, false]);
    assert.deepEqual(await shownWith('true'), [['a', 'b', 'c'], 20, true]);
  });

  it('are never none: a case that was renamed would be lost without a word', () => {
    assert.throws(() => casesOf(['a'], () => false), /No case of these is tried/);
  });
});
