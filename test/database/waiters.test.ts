import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openRowEvents, type RowEvents } from '../../src/database/row-events.ts';
import { eventually } from '../support/eventually.ts';
import { service } from '../support/service.ts';

describe('waitFor', () => {
  let events: RowEvents;
  before(async () => {
    events = await openRowEvents(service().databaseUrl, pino({ level: 'silent' }));
  });
  after(() => events.close());

  const { signal } = new AbortController();

  it('gives one operator three quarters of the places, and the next to others; who finds none is answered immediately', async () => {
    const ending = new AbortController();
    let reads = 0;
    const wait = (caller: string): Promise<string | undefined> =>
      events.waitFor('row_of_places', { caller, seconds: 60, signal: ending.signal }, async () => {
        reads += 1;
        return undefined;
      });
    const hostile = Array.from({ length: 1_200 }, () => wait('op_hostile'));
    let answered = 0;
    for (const one of hostile) void one.then(() => (answered += 1));
    await eventually('all to have read', () => reads === 1_200);
    // They hold fewer than twice as many as are free until they hold 667 of 1,000.
    await eventually('those without a place to be answered', () => answered === 1_200 - 667);
    const honest = [wait('op_honest'), wait('op_honest')];
    let isHonestAnswered = false;
    for (const one of honest) void one.then(() => (isHonestAnswered = true));
    await eventually('the honest to have read', () => reads === 1_202);
    assert(!isHonestAnswered);
    ending.abort();
    await Promise.all([...hostile, ...honest]);
  });

  it('reads at the beginning, when the row changes, and at the end: not every second while announcements are heard', async () => {
    let reads = 0;
    const waiting = events.waitFor('row_of_looks', { caller: 'op_1', seconds: 3, signal }, async () => {
      reads += 1;
      return undefined;
    });
    await eventually('a first look', () => reads === 1);
    events.changed('row_of_looks');
    await eventually('a look at the change', () => reads >= 2);
    await waiting;
    // The announcement comes back from Postgres as well.
    assert(reads === 3 || reads === 4, `${reads} looks`);
  });
});
