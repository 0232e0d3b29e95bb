import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { Places } from '../../src/turns/places.ts';

const limits = { places: 8, of: 'the database', waitMs: 60_000, waitingOfCaller: 100, waiting: 150 };

/** Ends what a test has begun, and what then begins: each call that waits has a timer. */
const leftovers: (() => Promise<void>)[] = [];

/** Work that begins when it has a place and ends when the test says so. */
function work(places: Places) {
  const begun: { caller: string; end: (value: string) => void }[] = [];
  const outcomes: Promise<string>[] = [];
  leftovers.push(async () => {
    for (const { end } of begun) {
      end('done'); // the loop goes on with what begins in the place
      await settled();
    }
  });
  return {
    /** By caller, in the order in which they began; those that have ended included. */
    callers: () => begun.map(({ caller }) => caller).join(''),
    begin(caller: string, times = 1): void {
      for (let time = 0; time < times; time += 1) {
        const done = places.run(caller, async () => {
          const { promise, resolve: end } = Promise.withResolvers<string>();
          begun.push({ caller, end });
          return await promise;
        });
        outcomes.push(done);
        done.catch(() => {});
      }
    },
    /** Ends the work that began at this place in the order. */
    async end(at: number): Promise<void> {
      begun[at]?.end('done');
      await settled();
    },
    outcomes,
  };
}

describe('Places', () => {
  afterEach(async () => {
    for (const endAll of leftovers.splice(0)) await endAll();
  });

  it('are shared: of eighty slow calls of A six are at work, and the next of B begins immediately', async () => {
    const places = new Places(limits);
    const { begin, callers } = work(places);
    begin('A', 80);
    begin('B');
    await settled();
    assert.equal(callers(), 'AAAAAAB');
  });

  it('that one is left of stays free for who holds none, however much the others have waiting', async () => {
    const places = new Places(limits);
    const { begin, callers, end } = work(places);
    for (const caller of 'ABC') begin(caller, 80);
    assert.equal(callers(), 'AAAAAABC');
    await end(0);
    assert.equal(callers(), 'AAAAAABC');
    begin('D', 80);
    assert.equal(callers(), 'AAAAAABCD');
    begin('E', 80);
    await end(1);
    assert.equal(callers(), 'AAAAAABCDE');
  });

  it('go to callers in turn, and those of one caller in the order in which they came', async () => {
    const places = new Places({ ...limits, places: 2 });
    const { begin, callers, end } = work(places);
    begin('A', 4);
    begin('B', 3);
    begin('C', 1);
    assert.equal(callers(), 'AB');
    for (let at = 0; at < 8; at += 1) await end(at);
    assert.equal(callers(), 'ABABCABA');
  });

  it('are given back by work that fails', async () => {
    const places = new Places(limits);
    for (let count = 0; count < 20; count += 1)
      await assert.rejects(
        places.run('A', () => Promise.reject(new Error('no'))),
        /no/,
      );
    const { begin, callers } = work(places);
    begin('A', 7);
    assert.equal(callers(), 'AAAAAA');
  });

  it('are waited for no longer than the limit: 503, and the turn of who gave up is nobody’s', async () => {
    const places = new Places({ ...limits, places: 1, waitMs: 1 });
    const { begin, callers, end, outcomes } = work(places);
    begin('A', 2);
    await assert.rejects(outcomes[1] ?? Promise.resolve(), { code: 'TEMPORARILY_UNAVAILABLE' });
    await end(0);
    begin('B');
    await settled();
    assert.equal(callers(), 'AB');
  });

  it('refuse who has too much waiting, and nobody else: 429; beyond what all may have everybody: 503', () => {
    const places = new Places(limits);
    const { begin } = work(places);
    begin('A', 105);
    places.assertRoom('A');
    begin('A');
    assert.throws(() => places.assertRoom('A'), { code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } });
    places.assertRoom('B');
    begin('B', 51);
    assert.throws(() => places.assertRoom('C'), { code: 'TEMPORARILY_UNAVAILABLE' });
  });
});
