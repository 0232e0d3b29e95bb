import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { leaseLives } from '../../temporal/lives-table.ts';
import { lives } from '../../temporal/lives.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';

describe('Turns of the delivery', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());
  beforeEach(() => run(db, sql.fragment`delete from lives`));

  /** Messages that are due, the first of them longest. */
  const leave = (kind: string, { owner, count, ago }: { owner: string; count: number; ago: string }) =>
    run(
      db,
      sql.fragment`
      insert into lives (life, owner, created_at, due_at)
      select ${kind} || ':' || ${owner} || '_' || n, ${owner}, moment, moment
      from generate_series(1, ${count}) n, lateral (select clock_timestamp() - ${ago}::interval + n * interval '1 millisecond' as moment) of_row`,
    );
  /** A delivery of its own. @returns the lives that it leases, batch by batch. */
  const delivery = () => {
    const turns = new Map<number, string>();
    return async (limit = 8): Promise<string[]> => {
      const leased = await leaseLives(db, { limit, minimumAgeMs: 0, turns });
      return leased.map(({ life }) => life);
    };
  };

  it('are taken by operators: who has five messages does not wait for who has ten thousand', async () => {
    await leave('invocation', { owner: 'op_hostile', count: 10_000, ago: '1 hour' });
    await leave('invocation', { owner: 'op_honest', count: 5, ago: '1 minute' });
    const batch = delivery();
    const lifeIds = [...(await batch()), ...(await batch())];
    assert.equal(lifeIds.length, 16);
    assert.equal(lifeIds.filter((life) => life.includes('op_honest')).length, 5);
  });

  it('go around: of thirty operators each has had one before any has had two', async () => {
    for (let nth = 0; nth < 30; nth += 1) await leave('invocation', { owner: `op_${nth}`, count: 20, ago: '1 minute' });
    const batch = delivery();
    const owners: string[] = [];
    for (let nth = 0; nth < 15; nth += 1) owners.push(...(await batch()).map((life) => /op_\d+/.exec(life)?.[0] ?? ''));
    assert.equal(new Set(owners.slice(0, 30)).size, 30);
    const counts = Map.groupBy(owners, (owner) => owner);
    assert.deepEqual(new Set([...counts.values()].map(({ length }) => length)), new Set([4]));
  });

  it('go around while operators have fewer than a batch', async () => {
    for (const owner of ['op_a', 'op_b', 'op_c']) await leave('invocation', { owner, count: 9, ago: '1 minute' });
    const batch = delivery();
    const counts = Map.groupBy([...(await batch()), ...(await batch()), ...(await batch())], (life) =>
      life.slice(0, 15),
    );
    assert.deepEqual(
      [...counts.values()].map(({ length }) => length),
      [8, 8, 8],
    );
  });

  it('begin with money, and end with mail', async () => {
    await leave('mail', { owner: 'a@example.test', count: 3, ago: '3 hours' });
    await leave('session', { owner: 'op_a', count: 3, ago: '2 hours' });
    await leave('top-up', { owner: 'op_a', count: 3, ago: '1 hour' });
    const batch = delivery();
    const kinds = [...(await batch(4)), ...(await batch(4)), ...(await batch(4))].map((life) => life.split(':')[0]);
    assert.deepEqual(kinds, [...Array(3).fill('top-up'), ...Array(3).fill('session'), ...Array(3).fill('mail')]);
  });

  it('know the priority of each kind of life', async () => {
    const Row = z.object({ kind: z.string(), priority: z.number() });
    for (const kind of Object.keys(lives)) await leave(kind, { owner: 'op_a', count: 1, ago: '1 minute' });
    const rows = await db.any(sql.type(Row)`select split_part(life, ':', 1) as kind, priority from lives`);
    const known = Object.fromEntries(Object.entries(lives).map(([kind, { priority }]) => [kind, priority]));
    assert.deepEqual(Object.fromEntries(rows.map(({ kind, priority }) => [kind, priority])), known);
  });

  it('read what is leased and who waits, not all that waits', async () => {
    await leave('invocation', { owner: 'op_hostile', count: 10_000, ago: '1 hour' });
    for (let nth = 0; nth < 20; nth += 1) await leave('invocation', { owner: `op_${nth}`, count: 3, ago: '-1 minute' });
    await db.transaction(async (connection) => {
      const reads = () =>
        connection.oneFirst(sql.type(z.object({ read: z.number() }))`
          select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'lives'`);
      const before = await reads();
      await leaseLives(connection, { limit: 8, minimumAgeMs: 0, turns: new Map() });
      const read = (await reads()) - before;
      assert(read < 400, `read ${read} messages`);
    });
  });
});
