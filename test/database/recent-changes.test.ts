import assert from 'node:assert/strict';
import { RecentChanges } from '../../src/database/recent-changes.ts';

const ids = new Set(['inv_1', 'inv_2']);

describe('RecentChanges', () => {
  it('knows what was announced since a moment, and nothing else', () => {
    const recent = new RecentChanges(1_000);
    recent.note('inv_1', 2_000);
    recent.note('inv_3', 3_000);
    assert.deepEqual(
      [1_500, 2_000, 2_001].map((since) => recent.mayHaveChanged(ids, since)),
      [true, true, false],
    );
    recent.note('*', 4_000);
    assert.equal(recent.mayHaveChanged(ids, 3_500), true, 'announcements may have been missed');
  });

  it('says that anything may have changed before it began, and before what it has forgotten', () => {
    const recent = new RecentChanges(1_000);
    assert.deepEqual([recent.mayHaveChanged(ids, 1_000), recent.mayHaveChanged(ids, 1_001)], [true, false]);
    for (let at = 2_000; at <= 12_000; at += 1) recent.note('inv_3', at);
    assert.deepEqual([recent.mayHaveChanged(ids, 2_000), recent.mayHaveChanged(ids, 2_001)], [true, false]);
  });
});
