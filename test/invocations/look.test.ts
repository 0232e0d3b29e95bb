import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { advanceInvocation, releaseOrphanedHolds } from '../../src/invocations/index.ts';
import { invoke, newSkill, newWallet, passDeadline, run, walletOf } from '../billing/ledger/ledger-world.ts';
import { noteLifeStore } from '../../temporal/rounds.ts';
import { adoptLives, takeDueLives } from '../../temporal/lives-table.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { looksAgainIn, lookAfterLives, makeDue, messagesOf } from '../support/due-lives.ts';
import { ownContext, type OwnContext } from './own-context.ts';

const Count = z.object({ count: z.number() });

/** On a database of its own: a round looks at all lives, and those of other tests would be expired with it. */
describe('Looking after invocations without a run', () => {
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

  const statusOf = (id: string) =>
    db.oneFirst(sql.type(z.object({ status: z.string() }))`select status from invocations where id = ${id}`);
  const waitsFor = (seconds: number, id: string) =>
    run(
      db,
      sql.fragment`update lives set due_at = due_at - make_interval(secs => ${seconds}) where ready and life = ${lifeId.invocation(id)}`,
    );
  const statusesOf = (ids: string[], status: string) =>
    db.oneFirst(
      sql.type(
        Count,
      )`select count(*)::int from invocations where id = any(${sql.array(ids, 'text')}) and status = ${status}`,
    );

  it('has an open one delivered again that was delivered and that nobody has looked at, at growing intervals', async () => {
    const id = await invoke(db, { consumer, skill });
    const life = lifeId.invocation(id);
    await lookAfterLives(own.context);
    assert.equal(await messagesOf(db, life), 1, 'it is young');
    for (const seconds of [20, 40, 80]) {
      await makeDue(db, life);
      await lookAfterLives(own.context);
      assert.equal(await messagesOf(db, life), 1);
      const next = (await looksAgainIn(db, life)) ?? 0;
      assert(next > seconds - 10 && next <= seconds, `${next}`);
      await run(db, sql.fragment`delete from lives where life = ${life} and ready`); // it was delivered, and lost again
    }
    await advanceInvocation(own.context, id);
    assert(((await looksAgainIn(db, life)) ?? 0) > 600, 'a run looked, and waits for its deadline');
  });

  it('expires what is past its deadline', async () => {
    const [late, soon] = [await invoke(db, { consumer, skill }), await invoke(db, { consumer, skill })];
    for (const id of [late, soon]) await advanceInvocation(own.context, id);
    await passDeadline(db, late);
    await lookAfterLives(own.context);
    assert.deepEqual([await statusOf(late), await statusOf(soon)], ['expired', 'pending']);
    assert.equal((await walletOf(db, consumer)).held_cents, 25);
    assert.equal(await looksAgainIn(db, lifeId.invocation(late)), null, 'nobody has to look at it again');
    assert.equal(await messagesOf(db, lifeId.invocation(late)), 1, 'its run ends');
  });

  it('gives up a lapsed claim, and has its run look', async () => {
    const id = await invoke(db, { consumer, skill });
    await run(
      db,
      sql.fragment`
        update invocations set status = 'processing', attempt = 1, lease_seconds = 60, lease_until = clock_timestamp() - interval '61 seconds'
        where id = ${id}`,
    );
    await makeDue(db, lifeId.invocation(id));
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'pending');
    assert.equal(await messagesOf(db, lifeId.invocation(id)), 1);
  });

  it('settles one that ended and waits for its delivery, where it has no run; one that has a run waits', async () => {
    const [young, old, running] = [
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
    ];
    await advanceInvocation(own.context, running);
    for (const id of [young, old, running]) {
      await run(db, sql.fragment`select wake_life(${lifeId.invocation(id)}, ${consumer})`);
      await run(
        db,
        sql.fragment`
          update invocations set status = 'failed', error = '{"code":"X","message":"x"}', completed_at = clock_timestamp() where id = ${id}`,
      );
      await run(db, sql.fragment`select release_hold(${id})`);
      if (id !== young) await waitsFor(4, id);
    }
    await lookAfterLives(own.context, { temporalIsAway: true });
    assert.equal(await messagesOf(db, lifeId.invocation(old)), 2, 'Temporal is given ten seconds');
    await lookAfterLives(own.context);
    const left = await Promise.all([young, old, running].map((id) => messagesOf(db, lifeId.invocation(id))));
    assert.deepEqual(left, [2, 0, 1]);
    assert.equal(
      await db.oneFirst(sql.type(Count)`select count(*)::int from invocations where id = ${old} and followed_up`),
      1,
    );
  });

  it('settles all that wait in one round, also those of one consumer', async () => {
    const free = await newSkill(db, await newWallet(db), { price: 0 });
    const many: string[] = [];
    for (let count = 0; count < 230; count += 1) many.push(await invoke(db, { consumer, skill: free }));
    await run(
      db,
      sql.fragment`
        update invocations set status = 'failed', error = '{"code":"X","message":"x"}', completed_at = clock_timestamp()
        where id = any(${sql.array(many, 'text')})`,
    );
    await run(
      db,
      sql.fragment`update lives set due_at = due_at - interval '4 seconds' where ready and owner = ${consumer}`,
    );
    await lookAfterLives(own.context);
    assert.equal(
      await db.oneFirst(
        sql.type(Count)`select count(*)::int from lives where owner = ${consumer} and life like 'invocation:%'`,
      ),
      0,
    );
  });

  it('leaves an open one that waits for its delivery to a later look, and to its deadline', async () => {
    const id = await invoke(db, { consumer, skill });
    await waitsFor(4, id);
    await lookAfterLives(own.context);
    assert.equal(await messagesOf(db, lifeId.invocation(id)), 0);
    const next = (await looksAgainIn(db, lifeId.invocation(id))) ?? 0;
    assert(next > 0 && next <= 10);
    await passDeadline(db, id);
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'expired');
  });

  it('leaves an execution to its run, and its message in its place, until its deadline', async () => {
    const id = await invoke(db, { consumer, skill });
    await run(db, sql.fragment`update invocations set execution_mode = 'sealed' where id = ${id}`);
    await waitsFor(4, id);
    const Waiting = z.object({ ready: z.boolean(), seconds: z.number() });
    for (const round of [1, 2]) {
      await lookAfterLives(own.context);
      const message = await db.one(sql.type(Waiting)`
        select ready, extract(epoch from clock_timestamp() - due_at)::float8 as seconds from lives where life = ${lifeId.invocation(id)}`);
      assert(message.ready && message.seconds >= -0.5, `round ${round}: ${JSON.stringify(message)}`);
      assert.equal(await statusOf(id), 'pending');
    }
    await passDeadline(db, id);
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'expired');
  });

  it('keeps since when Temporal refuses a life, and settles one that has ended', async () => {
    const id = await invoke(db, { consumer, skill });
    const life = lifeId.invocation(id);
    const refuse = () =>
      run(
        db,
        sql.fragment`update lives set refused_at = coalesce(refused_at, now() - interval '1 hour') where life = ${life}`,
      );
    await makeDue(db, life);
    await refuse();
    await lookAfterLives(own.context);
    const Since = z.object({ since: z.number() });
    const { since } = await db.one(sql.type(Since)`
      select extract(epoch from now() - min(refused_at))::float8 as since from lives where life = ${life}`);
    assert(since >= 3_600, 'it is shown as refused, since then');
    await passDeadline(db, id);
    await refuse();
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'expired');
    assert.equal(await messagesOf(db, life), 0, 'nothing of it is sent to Temporal again');
  });

  it('passes over a row that fails, says why, and does the others', async () => {
    const ids = [
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
      await invoke(db, { consumer, skill }),
    ];
    for (const id of ids) await passDeadline(db, id);
    const bad = ids[0] ?? '';
    await db.query(sql.unsafe`
      create function fail_to_end() returns trigger language plpgsql as $$
      begin
        raise exception 'this row cannot end';
      end $$`);
    await db.query(sql.unsafe`
      create trigger fails_to_end before update of status on invocations for each row
      when (old.id = ${sql.literalValue(bad)} and new.status = 'expired') execute function fail_to_end()`);
    await lookAfterLives(own.context);
    assert.deepEqual(await Promise.all(ids.map(statusOf)), ['pending', 'expired', 'expired']);
    const Why = z.object({ failure: z.string().nullable(), seconds: z.number() });
    const why = await db.one(sql.type(Why)`
      select failure, extract(epoch from due_at - clock_timestamp())::float8 as seconds from lives where life = ${lifeId.invocation(bad)}`);
    assert.equal(why.failure, 'this row cannot end');
    assert(why.seconds > 50, 'not again immediately');
    await db.query(sql.unsafe`drop trigger fails_to_end on invocations`);
    await passDeadline(db, bad);
    await lookAfterLives(own.context);
    assert.equal(await statusOf(bad), 'expired', 'but later');
  });

  it('leaves one alone that a command holds', async () => {
    const id = await invoke(db, { consumer, skill });
    await passDeadline(db, id);
    const command = new pg.Client(own.context.config.databaseUrl);
    await command.connect();
    await command.query('begin');
    await command.query('select from invocations where id = $1 for no key update', [id]);
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'pending');
    await command.end();
    await passDeadline(db, id);
    await lookAfterLives(own.context);
    assert.equal(await statusOf(id), 'expired');
  });

  it('gives each consumer its turn: who has one row due does not wait for who has many', async () => {
    const hostile = await newWallet(db, 1_000);
    const free = await newSkill(db, await newWallet(db), { price: 0 });
    const hers: string[] = [];
    for (let count = 0; count < 150; count += 1) hers.push(await invoke(db, { consumer: hostile, skill: free }));
    for (const id of hers) await passDeadline(db, id, '10 minutes');
    const honest = await invoke(db, { consumer, skill });
    await passDeadline(db, honest);
    const { taken } = await takeDueLives(db, { limit: 100, after: '' });
    assert(taken.includes(lifeId.invocation(honest)), 'the last that fell due is in the first batch');
    for (const id of [...hers, honest]) await passDeadline(db, id);
    await lookAfterLives(own.context);
    assert.equal(await statusesOf([...hers, honest], 'expired'), 151, 'and all in one round');
  });

  it('is all that is done while Temporal has a thousand to take: those that go on are looked at again later', async () => {
    const id = await invoke(db, { consumer, skill });
    await makeDue(db, lifeId.invocation(id));
    await run(
      db,
      sql.fragment`insert into lives (life, owner, due_at, ready)
        select 'mail:msg_' || n, 'op_other', clock_timestamp(), true from generate_series(1, 1000) n`,
    );
    const config = { ...own.context.config, runForEveryLife: false };
    await lookAfterLives({ ...own.context, config });
    assert.equal(await messagesOf(db, lifeId.invocation(id)), 0);
    for (const seconds of [20, 40, 80]) {
      const next = (await looksAgainIn(db, lifeId.invocation(id))) ?? 0;
      assert(next > seconds - 10 && next <= seconds, `${next}`);
      await makeDue(db, lifeId.invocation(id));
      await lookAfterLives({ ...own.context, config });
    }
    await run(db, sql.fragment`delete from lives where owner = 'op_other'`);
    await makeDue(db, lifeId.invocation(id));
    await lookAfterLives({ ...own.context, config });
    assert.equal(await messagesOf(db, lifeId.invocation(id)), 1, 'it is delivered when there is room');
  });

  it('reads what is due, however much is open', async () => {
    const free = await newSkill(db, await newWallet(db), { price: 0 });
    const open: string[] = [];
    for (let count = 0; count < 100; count += 1) open.push(await invoke(db, { consumer, skill: free }));
    for (const id of open) await advanceInvocation(own.context, id);
    await db.query(sql.unsafe`analyze invocations`);
    await lookAfterLives(own.context); // what the tests before have left
    const Read = z.object({ rows: z.number() });
    const rowsRead = (): Promise<number> =>
      db.transaction(async (connection) => {
        // Tables as small as these would be read whole; those of a million rows are not.
        await connection.query(sql.unsafe`set local enable_seqscan = off`);
        await connection.query(sql.unsafe`discard plans`);
        // The work that the connection did shortly before may be counted too.
        const readSoFar = () =>
          connection.oneFirst(sql.type(Read)`
            select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname in ('invocations', 'lives')`);
        const before = await readSoFar();
        const { taken: due } = await takeDueLives(connection, { limit: 100, after: '' });
        if (due.length > 0)
          await connection.one(sql.unsafe`select * from look_at_invocations(${sql.array([...due], 'text')}, true)`);
        await adoptLives(connection, 100);
        return (await readSoFar()) - before;
      });
    assert.equal(await rowsRead(), 0, 'nothing is due, so no row is read');
    for (const id of open.slice(0, 3)) await passDeadline(db, id);
    const read = await rowsRead();
    assert(read > 0 && read <= 3 * 20, `${read} rows read for three that are due`);
    for (const id of open.slice(3)) await passDeadline(db, id);
    await lookAfterLives(own.context);
  });

  it('looks at every open row again when lives have another store, once', async () => {
    await noteLifeStore(db, 'first');
    const [seen, ended] = [await invoke(db, { consumer, skill }), await invoke(db, { consumer, skill })];
    await advanceInvocation(own.context, seen);
    await passDeadline(db, ended);
    await advanceInvocation(own.context, ended);
    assert.equal(await noteLifeStore(db, 'first'), null);
    assert.equal(await adoptLives(db, 1_000), 0, 'it is the same store');
    assert.notEqual(await noteLifeStore(db, 'second'), null);
    const open = await db.oneFirst(sql.type(Count)`select count(*)::int from lives where epoch is not null`);
    assert.equal(await adoptLives(db, 1_000), open, 'those of the tests before, too');
    assert.equal(await adoptLives(db, 1_000), 0);
    const next = (await looksAgainIn(db, lifeId.invocation(seen))) ?? 0;
    assert(next <= open / 100, `a hundred a second, and it waits ${next} s`);
    await makeDue(db, lifeId.invocation(seen));
    await lookAfterLives(own.context);
    assert.deepEqual(
      [await messagesOf(db, lifeId.invocation(seen)), await messagesOf(db, lifeId.invocation(ended))],
      [1, 0],
    );
  });

  it('releases a hold that nothing open needs', async () => {
    const [id, hold] = [newId('inv'), newId('hld')];
    await run(db, sql.fragment`select hold_wallet(${hold}, ${consumer}, 40, ${id})`);
    assert.equal(await releaseOrphanedHolds(db), 0, 'not within a minute');
    await run(db, sql.fragment`update holds set created_at = created_at - interval '2 minutes' where id = ${hold}`);
    assert.equal(await releaseOrphanedHolds(db), 1);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 100, held_cents: 0, last_position: 1 });
    await run(db, sql.fragment`delete from holds where id = ${hold}`); // the test's own fault, not to be left for assertLedger
  });
});
