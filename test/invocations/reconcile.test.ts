import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { advanceInvocation, reconcileInvocations } from '../../src/invocations/index.ts';
import { invoke, newSkill, newWallet, passDeadline, run, walletOf } from '../billing/ledger/ledger-world.ts';
import { noteLifeStore } from '../../temporal/rounds.ts';
import { ownContext, type OwnContext } from './own-context.ts';

/** On a database of its own: reconciling looks at every row, and those of other tests would be expired with it. */
describe('reconcileInvocations', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let consumer: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(async () => {
    consumer = await newWallet(db, 100);
    skill = await newSkill(db, await newWallet(db), { price: 25 });
  });
  afterEach(() => assertLedger(db));

  const messagesOf = (id: string) =>
    db.oneFirst(
      sql.type(
        z.object({ count: z.number() }),
      )`select count(*)::int from life_messages where life = ${`invocation:${id}`}`,
    );
  const statusOf = (id: string) =>
    db.oneFirst(sql.type(z.object({ status: z.string() }))`select status from invocations where id = ${id}`);

  it('wakes open rows that no life has read, once', async () => {
    const id = await invoke(db, { consumer, skill });
    await run(db, sql.fragment`delete from life_messages where life = ${`invocation:${id}`}`);
    assert.deepEqual(
      await reconcileInvocations(own.context),
      { woken: 0, expired: 0, failed: 0, released: 0 },
      'not within 10 seconds',
    );
    await run(db, sql.fragment`update invocations set look_at = look_at - interval '11 seconds' where id = ${id}`);
    assert.equal((await reconcileInvocations(own.context)).woken, 1);
    assert.deepEqual(await messagesOf(id), 1);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its message still waits');
    await advanceInvocation(own.context, id);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its life has read it');
  });

  it('expires what is long past its deadline, without any life', async () => {
    const [late, soon] = [await invoke(db, { consumer, skill }), await invoke(db, { consumer, skill })];
    await passDeadline(db, late, '31 seconds');
    await passDeadline(db, soon, '15 seconds');
    const before = own.deliveries();
    assert.equal((await reconcileInvocations(own.context)).expired, 1);
    assert.equal(await statusOf(late), 'expired');
    assert.equal(await statusOf(soon), 'pending');
    assert.equal((await walletOf(db, consumer)).held_cents, 25);
    assert.equal(own.deliveries(), before + 2, 'the life is woken, and that of the log, which has a claim of it');
    await advanceInvocation(own.context, soon);
  });

  it('wakes a row whose lease was over long ago', async () => {
    const id = await invoke(db, { consumer, skill });
    await advanceInvocation(own.context, id);
    await run(
      db,
      sql.fragment`
        update invocations set status = 'processing', attempt = 1, lease_seconds = 60, lease_until = clock_timestamp() - interval '61 seconds',
          look_at = clock_timestamp() - interval '1 second'
        where id = ${id}`,
    );
    assert.equal((await reconcileInvocations(own.context)).woken, 1);
    await advanceInvocation(own.context, id);
    assert.equal(await statusOf(id), 'pending');
  });

  it('passes over a row that fails, and does the others', async () => {
    const ids = [
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
    ];
    for (const id of ids) await passDeadline(db, id, '31 seconds');
    const bad = ids[0] ?? '';
    await db.query(sql.unsafe`
      create function fail_to_end() returns trigger language plpgsql as $$
      begin
        raise exception 'this row cannot end';
      end $$`);
    await db.query(sql.unsafe`
      create trigger fails_to_end before update of status on invocations for each row
      when (old.id = ${sql.literalValue(bad)} and new.status = 'expired') execute function fail_to_end()`);
    const { expired, failed } = await reconcileInvocations(own.context);
    assert.deepEqual({ expired, failed }, { expired: 2, failed: 1 });
    assert.deepEqual(await Promise.all(ids.map(statusOf)), ['pending', 'expired', 'expired']);
    assert.equal((await reconcileInvocations(own.context)).failed, 0, 'not again at once');
    await db.query(sql.unsafe`drop trigger fails_to_end on invocations`);
    await passDeadline(db, bad, '31 seconds');
    assert.equal((await reconcileInvocations(own.context)).expired, 1, 'but later');
  });

  it('gives each consumer its turn: who has one row due does not wait for who has many', async () => {
    const hostile = await newWallet(db, 1_000);
    const free = await newSkill(db, await newWallet(db), { price: 0 });
    const hers = [];
    for (let count = 0; count < 150; count += 1) hers.push(await invoke(db, { consumer: hostile, skill: free }));
    for (const id of hers) await passDeadline(db, id, '10 minutes');
    const honest = await invoke(db, { consumer, skill });
    await passDeadline(db, honest, '31 seconds');
    const Batch = z.object({ looked: z.number(), expired: z.array(z.string()) });
    const batch = await db.one(sql.type(Batch)`select looked, expired from reconcile_invocations()`);
    assert.equal(batch.looked, 100);
    assert(batch.expired.includes(honest), 'the last that fell due is in the first batch');
    assert.equal((await reconcileInvocations(own.context)).expired, 51, 'and the rest follows in the same round');
  });

  it('reads what is due, however much is open', async () => {
    const free = await newSkill(db, await newWallet(db), { price: 0 });
    const open: string[] = [];
    for (let count = 0; count < 100; count += 1) open.push(await invoke(db, { consumer, skill: free }));
    for (const id of open) await advanceInvocation(own.context, id);
    await db.query(sql.unsafe`analyze invocations`);
    await reconcileInvocations(own.context); // what the tests before have left
    const Read = z.object({ rows: z.number() });
    const rowsRead = (): Promise<number> =>
      db.transaction(async (connection) => {
        // A table as small as this one would be read whole; one of a million rows is not.
        await connection.query(sql.unsafe`set local enable_seqscan = off`);
        await connection.query(sql.unsafe`discard plans`);
        // The work that the connection did shortly before may be counted too.
        const readSoFar = () =>
          connection.oneFirst(sql.type(Read)`
            select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'invocations'`);
        const before = await readSoFar();
        await connection.one(sql.unsafe`select * from reconcile_invocations()`);
        await connection.one(sql.unsafe`select wake_invocations_of_other_store() as woken`);
        return (await readSoFar()) - before;
      });
    assert.equal(await rowsRead(), 0, 'nothing is due, so no row is read');
    for (const id of open.slice(0, 3)) await passDeadline(db, id, '31 seconds');
    const read = await rowsRead();
    assert(read > 0 && read <= 3 * 8, `${read} rows read for three that are due`);
    for (const id of open.slice(3)) await passDeadline(db, id, '31 seconds');
    await reconcileInvocations(own.context);
  });

  it('wakes every open row again when lives have another store, once', async () => {
    await noteLifeStore(db, 'first');
    const [seen, ended] = [await invoke(db, { consumer, skill }), await invoke(db, { consumer, skill })];
    await advanceInvocation(own.context, seen);
    await passDeadline(db, ended);
    await advanceInvocation(own.context, ended);
    assert.equal(await noteLifeStore(db, 'first'), null);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'it is the same store');
    assert.notEqual(await noteLifeStore(db, 'second'), null);
    const open = await db.oneFirst(
      sql.type(z.object({ count: z.number() }))`
        select count(*)::int from invocations where status in ('pending', 'processing') and life_epoch is not null`,
    );
    assert.equal((await reconcileInvocations(own.context)).woken, open, 'those of the tests before, too');
    assert.deepEqual([await messagesOf(seen), await messagesOf(ended)], [1, 0]);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its message still waits');
    await advanceInvocation(own.context, seen);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its life there has read it');
  });

  it('releases a hold that nothing open needs', async () => {
    const [id, hold] = [newId('inv'), newId('hld')];
    await run(db, sql.fragment`select hold_wallet(${hold}, ${consumer}, 40, ${id})`);
    assert.equal((await reconcileInvocations(own.context)).released, 0, 'not within a minute');
    await run(db, sql.fragment`update holds set created_at = created_at - interval '2 minutes' where id = ${hold}`);
    assert.equal((await reconcileInvocations(own.context)).released, 1);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 100, held_cents: 0, last_position: 1 });
    await run(db, sql.fragment`delete from holds where id = ${hold}`); // the test's own fault, not to be left for assertLedger
  });
});
