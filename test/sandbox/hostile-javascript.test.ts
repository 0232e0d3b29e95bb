import assert from 'node:assert/strict';
import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { casesOf } from '../support/cases.ts';
import { hostileJavaScript } from './hostile-javascript.ts';
import { buildRun, buildRunner, endOf } from './support.ts';

/** A secret that one operator's run holds, and no other may find. */
const SECRET = 'sk_seeded_7f3a91';

describe('hostile JavaScript', function () {
  // Some scripts use up their time; a machine under load needs longer to start the next process.
  this.timeout(120_000);
  let runner: ScriptRunner;
  /** For scripts that use up their time. Processor time, so that a busy machine ends no other. */
  let brief: ScriptRunner;

  before(() => {
    runner = buildRunner({ wallMs: 60_000, cpuMs: 60_000 });
    brief = buildRunner({ cpuMs: 300 });
  });
  after(() => Promise.all([runner.close(), brief.close()]));

  it('is a corpus of at least eighty scripts', () => {
    assert.ok(hostileJavaScript.length >= 80, String(hostileJavaScript.length));
    assert.equal(new Set(hostileJavaScript.map(([name]) => name)).size, hostileJavaScript.length);
  });

  // A bomb fills memory for seconds: `npm test` throws one.
  const isBomb = (name: string): boolean => name.startsWith('a memory bomb');
  const bomb = hostileJavaScript.find(([name]) => isBomb(name));
  for (const [name, script, end] of casesOf(hostileJavaScript, (one) => !isBomb(one[0]) || one === bomb)) {
    it(`ends tidily: ${name}`, async () => {
      const used = end === 'SCRIPT_TIME_LIMIT' ? brief : runner;
      // It shows too that the script before has left a runner that works.
      const kept = await used.run(
        buildRun({
          script: `globalThis.kept = '${SECRET}'; const main = (input) => ({ ...input, kept });`,
          input: JSON.stringify({ SECRET }),
        }),
      );
      assert.deepEqual(endOf(kept), { SECRET, kept: SECRET }, JSON.stringify(kept));
      const outcome = await used.run(buildRun({ script }));
      assert.deepEqual(endOf(outcome), end, JSON.stringify(outcome));
      assert.ok(!JSON.stringify(outcome).includes(SECRET), 'another run has left something');
    });
  }

  it('leaves a runner that works', async () => {
    for (const used of [runner, brief]) {
      const next = await used.run(buildRun({ script: 'const main = ({ known }) => ({ known });' }));
      assert.deepEqual(endOf(next), { known: 1 }, JSON.stringify(next));
    }
  });
});
