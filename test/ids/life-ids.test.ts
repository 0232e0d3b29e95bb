import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lifeId, parseLifeId, type LifeKind } from '../../src/ids/life-ids.ts';

const kinds = Object.keys(lifeId) as LifeKind[];
const kind = fc.constantFrom(...kinds);

describe('ids of lives', () => {
  it('are the kind, a colon and the id of the row, and are read back as these', () => {
    fc.assert(
      fc.property(kind, fc.string({ minLength: 1 }), (one, id) => {
        assert.equal(lifeId[one](id), `${one}:${id}`);
        assert.deepEqual(parseLifeId(lifeId[one](id)), { kind: one, id });
      }),
    );
  });

  it('differ where the kind or the row differs', () => {
    const row = fc.tuple(kind, fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(row, row, ([oneKind, oneId], [otherKind, otherId]) => {
        const same = oneKind === otherKind && oneId === otherId;
        assert.equal(lifeId[oneKind](oneId) === lifeId[otherKind](otherId), same);
      }),
    );
  });

  for (const text of [
    '',
    ':',
    'refund',
    'refund:',
    ':rfd_1',
    'Refund:rfd_1',
    ' refund:rfd_1',
    'reconcile:x',
    'constructor:x',
    '__proto__:x',
  ]) {
    it(`are not ${JSON.stringify(text)}`, () => {
      assert.equal(parseLifeId(text), undefined);
    });
  }
});
