import assert from 'node:assert/strict';
import { PLACES } from '../../activities/sandbox/programs.ts';
import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { buildRun, buildRunner, endOf } from './support.ts';

const LOOP = 'const main = () => { for (;;); };';

describe('turns of operators who run scripts', function () {
  // Every endless run uses its limit of processor time, for which a busy machine needs longer.
  this.timeout(240_000);
  let runner: ScriptRunner;
  beforeEach(() => {
    runner = buildRunner({ wallMs: 120_000, cpuMs: 300 });
  });
  afterEach(() => runner.close());

  it('come to an honest one before a second endless run of another', async () => {
    const ended: string[] = [];
    const running = async (caller: string, script: string): Promise<unknown> => {
      const end = endOf(await runner.run(buildRun({ caller, script })));
      ended.push(caller);
      return end;
    };
    const endless = Array.from({ length: 4 * PLACES }, () => running('op_hostile', LOOP));
    const honest = await running('op_honest', 'const main = ({ known }) => ({ known });');
    assert.deepEqual(honest, { known: 1 });
    // Those under way when it came may end before it, and those in the other places while it runs.
    const before = ended.indexOf('op_honest');
    assert.ok(before <= 2 * PLACES - 1, `${before} endless runs ended before it, in ${PLACES} places`);
    assert.deepEqual(new Set(await Promise.all(endless)), new Set(['SCRIPT_TIME_LIMIT']));
  });
});
