import assert from 'node:assert/strict';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { LoopLag } from '../../src/metrics/loop-lag.ts';
import { eventually } from '../support/eventually.ts';

const MS = 1_000_000;

describe('LoopLag', () => {
  it('is nothing where every look came in time', () => {
    const looks = createHistogram();
    for (let nth = 0; nth < 1_000; nth += 1) looks.record(10 * MS);
    const { p99, max } = new LoopLag(looks);
    // The histogram has three digits.
    assert(p99 < 0.000_1 && max < 0.000_1, `${p99} ${max}`);
  });

  it('is the same for every reader, until the next window has ended', () => {
    const looks = createHistogram();
    for (let nth = 0; nth < 98; nth += 1) looks.record(10 * MS);
    for (let nth = 0; nth < 2; nth += 1) looks.record(210 * MS);
    const lag = new LoopLag(looks);
    lag.endWindow();
    looks.record(10 * MS);
    for (let nth = 0; nth < 3; nth += 1)
      assert.deepEqual(
        [lag.p99, lag.max].map((seconds) => seconds.toFixed(2)),
        ['0.20', '0.20'],
      );
    lag.endWindow();
    assert(lag.max < 0.000_1);
  });

  it('has what kept the loop from its work', async () => {
    const looks = monitorEventLoopDelay({ resolution: 10 });
    looks.enable();
    const lag = new LoopLag(looks);
    await eventually('a look', () => looks.count > 0);
    const before = looks.count;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    await eventually('the look that came late', () => looks.count > before);
    lag.endWindow();
    looks.disable();
    assert(lag.max >= 0.15, String(lag.max));
  });
});
