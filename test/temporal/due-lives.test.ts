import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { createRound } from '../../temporal/due-lives.ts';
import { lives } from '../../temporal/lives.ts';
import { adoptLives, takeDueLives, takeWaitingLives } from '../../temporal/lives-table.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { lookAfterLives } from '../support/due-lives.ts';

const Read = z.object({ read: z.number() });
const Count = z.object({ count: z.number() });

describe('Lives that are due', () => {
  let own: OwnContext;
  let db: DatabasePool;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(() => run(db, sql.fragment`delete from lives`));

  interface Rows {
    kind?: string;
    owner: string;
    count: number;
    /** Until they are due. */
    seconds: number;
    ready?: boolean;
    /** Null: a message. */
    epoch?: number | null;
  }
  const leave = ({ kind = 'mail', owner, count, seconds, ready = false, epoch = 1 }: Rows) =>
    run(
      db,
      sql.fragment`
      insert into lives (life, owner, due_at, ready, epoch)
      select ${kind} || ':' || ${owner} || '_' || n, ${owner}, clock_timestamp() + make_interval(secs => ${seconds}) + n * interval '1 millisecond', ${ready}, ${epoch}
      from generate_series(1, ${count}) n`,
    );
  const countOf = (where: ReturnType<typeof sql.fragment>) =>
    db.oneFirst(sql.type(Count)`select count(*)::int from lives where ${where}`);

  it('are found by what is due, however much is open', async () => {
    await leave({ owner: 'op_waiting', count: 20_000, seconds: 3_600 });
    await leave({ owner: 'op_due', count: 3, seconds: -5 });
    await run(db, sql.fragment`vacuum analyze lives`);
    const read = await db.transaction(async (connection) => {
      const reads = () =>
        connection.oneFirst(sql.type(Read)`
          select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'lives'`);
      const before = await reads();
      assert.equal((await takeDueLives(connection, { limit: 100, after: '' })).taken.length, 3);
      await adoptLives(connection, 100);
      return (await reads()) - before;
    });
    assert(read < 100, `read ${read} rows`);
  });

  it('are taken by operators in turn, once, until all are: whose became due last is among the first', async () => {
    await leave({ owner: 'op_hostile', count: 4_000, seconds: -7_200 });
    await leave({ owner: 'op_honest', count: 3, seconds: -3_600 });
    const { taken: first } = await takeDueLives(db, { limit: 100, after: '' });
    assert.equal(first.filter((life) => life.includes('op_honest')).length, 3);
    let taken = first.length;
    for (let more = 1; more > 0; taken += more) more = (await takeDueLives(db, { limit: 100, after: '' })).taken.length;
    assert.equal(taken, 4_003);
    assert.equal(
      await countOf(sql.fragment`due_at <= clock_timestamp()`),
      0,
      'they are due again in a quarter of a minute',
    );
  });

  it('are taken once, however many take them', async () => {
    await leave({ owner: 'op_a', count: 60, seconds: -5 });
    const taken = (
      await Promise.all(Array.from({ length: 6 }, () => takeDueLives(db, { limit: 20, after: '' })))
    ).flatMap((one) => one.taken);
    assert.equal(new Set(taken).size, taken.length);
  });

  it('are delivered where nothing can be done without a run, and one of a kind that nobody knows is put off', async () => {
    await leave({ kind: 'mail', owner: 'op_a', count: 250, seconds: -5 });
    await leave({ kind: 'unheard-of', owner: 'op_a', count: 1, seconds: -5 });
    await lookAfterLives(own.context);
    assert.equal(await countOf(sql.fragment`ready and life like 'mail:%'`), 250);
    assert.equal(
      await countOf(
        sql.fragment`failure = 'This release knows no life of this kind.' and due_at > clock_timestamp() + interval '50 seconds'`,
      ),
      1,
    );
  });

  it('and wait for their delivery: those of several operators are looked at in turn, fifty each', async () => {
    await leave({ kind: 'invocation', owner: 'op_hostile', count: 400, seconds: -60, ready: true, epoch: null });
    await leave({ kind: 'invocation', owner: 'op_honest', count: 3, seconds: -10, ready: true, epoch: null });
    await leave({ kind: 'mail', owner: 'op_honest', count: 3, seconds: -10, ready: true, epoch: null });
    const kinds = ['invocation'];
    const { taken, last_owner: last } = await takeWaitingLives(db, { kinds, seconds: 3, limit: 100, after: '' });
    const of = (owner: string) => taken.filter((life) => life.includes(owner)).length;
    assert.deepEqual([of('op_hostile'), of('op_honest'), last], [50, 3, null]);
    const older = await takeWaitingLives(db, { kinds, seconds: 3_600, limit: 100, after: '' });
    assert.deepEqual(older, { taken: [], last_owner: null }, 'they are younger');
    await leave({ kind: 'invocation', owner: 'op_a', count: 60, seconds: -60, ready: true, epoch: null });
    await leave({ kind: 'invocation', owner: 'op_b', count: 60, seconds: -60, ready: true, epoch: null });
    assert.equal((await takeWaitingLives(db, { kinds, seconds: 3, limit: 100, after: '' })).last_owner, 'op_b');
    assert.equal(await countOf(sql.fragment`ready and life like 'mail:%'`), 3, 'of other kinds none');
  });

  it('and wait for their delivery: one round looks at all of them, of one operator too', async () => {
    await leave({ kind: 'invocation', owner: 'op_alone', count: 400, seconds: -60, ready: true, epoch: null });
    const config = { ...own.context.config, runForEveryLife: false };
    await createRound(lives)({ ...own.context, config }, { temporalIsAway: false });
    assert.equal(await countOf(sql.fragment`ready`), 0);
  });

  it('go on where the look of one kind fails: it is put off, and the others are looked at', async () => {
    await leave({ kind: 'session', owner: 'op_a', count: 1, seconds: -5 });
    await leave({ kind: 'mail', owner: 'op_a', count: 1, seconds: -5 });
    const look = (): Promise<never> => Promise.reject(new Error('made by the test'));
    const round = createRound({ ...lives, session: { ...lives.session, look } });
    await assert.rejects(round(own.context, { temporalIsAway: false }), /made by the test/);
    assert.equal(await countOf(sql.fragment`life like 'session:%' and failure like '%made by the test%'`), 1);
    assert.equal(await countOf(sql.fragment`ready and life like 'mail:%'`), 1);
  });

  it('of another store are due again within as long as Temporal needs to be given them all', async () => {
    await run(
      db,
      sql.fragment`
      insert into life_store (store, written_by, epoch, since, open_lives) values ('one', pg_current_xact_id()::xid, 7, now(), 5000)
      on conflict (one) do update set epoch = 7, open_lives = 5000`,
    );
    await leave({ owner: 'op_a', count: 5_000, seconds: 36_000, epoch: 6 });
    await leave({ owner: 'op_b', count: 10, seconds: -5, epoch: 6 });
    let adopted = 0;
    for (let more = 1; more > 0; adopted += more) more = await adoptLives(db, 2_000);
    assert.equal(adopted, 5_010);
    const within = (seconds: number) =>
      countOf(sql.fragment`due_at <= clock_timestamp() + make_interval(secs => ${seconds})`);
    assert.equal(await within(50), 5_010);
    const early = await within(10);
    assert(early > 600 && early < 1_600, `${early} in the first fifth of the time`);
    assert.equal(
      await countOf(sql.fragment`due_at < clock_timestamp() and owner = 'op_b'`),
      10,
      'a deadline stays where it is',
    );
  });
});
