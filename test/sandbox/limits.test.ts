import assert from 'node:assert/strict';
import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { Child } from '../../activities/sandbox/child.ts';
import { python } from '../../activities/sandbox/programs.ts';
import { itInFull } from '../support/cases.ts';
import { buildRun, buildRunner, endOf } from './support.ts';

const MIB = 1024 * 1024;
/** Longer than any test waits: what ends by these would not be ended by the limit that is tried. */
const FAR = { wallMs: 3_600_000, cpuMs: 3_600_000 };

/** Each limit is the only one that the script can meet, so that it alone ends the script. */
describe('limits of scripts, watched from outside', function () {
  // A Python starts in two seconds, and in many more where the machine is busy.
  this.timeout(240_000);
  let runner: ScriptRunner | undefined;
  afterEach(() => runner?.close());

  it('end a JavaScript that stays within the limit of its runtime', async () => {
    runner = buildRunner({ ...FAR, memoryBytes: 8 * MIB });
    const script = 'function main() { const kept = new Uint8Array(32e6).fill(1); for (;;) kept[0] += 1; }';
    assert.equal(endOf(await runner.run(buildRun({ script }))), 'SCRIPT_MEMORY_LIMIT');
  });

  it('end a Python whose files grow, which its own limit does not count', async () => {
    runner = buildRunner(FAR);
    const script = `def main(input):
  with open("/tmp/kept", "wb") as file:
    for _ in range(200):
      file.write(bytes(2**20))
    while True: pass`;
    const outcome = await runner.run(buildRun({ runtime: 'python', script }));
    assert.equal(endOf(outcome), 'SCRIPT_MEMORY_LIMIT', JSON.stringify(outcome));
  });

  itInFull('end a Python that uses a processor without end', async () => {
    runner = buildRunner({ ...FAR, cpuMs: 300 });
    assert.equal(
      endOf(await runner.run(buildRun({ runtime: 'python', script: 'while True: pass' }))),
      'SCRIPT_TIME_LIMIT',
    );
  });

  it('charge for processor time alone: a script that waits costs little', async () => {
    const walls = { namespaces: false, ownUser: false, watched: true };
    const child = await Child.start({ ...python(), startIsCharged: false }, walls, {
      n: 0,
      signal: AbortSignal.any([]),
    });
    assert.ok(child !== undefined);
    const wallMs = 5_000;
    const job = { script: 'import time\ndef main(input): time.sleep(3600)', input: '{}' };
    const { how, cpuMs } = await child.run(job, { wallMs, cpuMs: FAR.cpuMs, memoryBytes: 64 * MIB });
    assert.equal(how, 'wall limit');
    assert.ok(cpuMs < wallMs, `${cpuMs} ms were charged of ${wallMs} that it waited`);
  });
});
