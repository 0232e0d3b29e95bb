import assert from 'node:assert/strict';
import { Turns } from '../../src/turns/turns.ts';

describe('Turns', () => {
  it('takes of the cheapest caller that may go, and of equal ones in turn', () => {
    const turns = new Turns<{ caller: string; name: string }>();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'c2']) turns.push({ caller: name.charAt(0), name });
    const cost: Record<string, number> = { a: 5, b: 1, c: 5 };
    const take = (mayGo: (item: { caller: string }) => boolean = () => true) =>
      turns.takeCheapest((caller) => cost[caller] ?? 0, mayGo)?.name;
    assert.equal(
      take(({ caller }) => caller !== 'b'),
      'a1',
    );
    assert.deepEqual([take(), take(), take(), take(), take()], ['b1', 'c1', 'a2', 'c2', undefined]);
  });
});
