import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { takeDueLives } from '../../../temporal/lives-table.ts';
import { lookAfterLives, makeDue } from '../../support/due-lives.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { flagsOf, newLineage, newOperator, refreshed, run, timePasses, type Lineage } from '../lineages.ts';

/** Seconds after which a session with an interval of 300 has missed its checkpoint by more than a second. */
const LATE = 300 + 75 + 2;

describe('Looking after sessions without a run', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let db: DatabasePool;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(async () => {
    await run(db, sql.fragment`delete from lives`); // those of the tests before are not of this one
  });

  const missed = async (lineage: Lineage): Promise<boolean> =>
    (await flagsOf(db, lineage)).some(({ type }) => type === 'missed_checkpoint');

  const dueAll = async (lineages: Lineage[]): Promise<void> => {
    for (const { session } of lineages) await makeDue(db, lifeId.session(session));
  };

  it('passes over a session that fails, and does the others', async () => {
    const operator = await newOperator(db);
    const [bad, good] = [await newLineage(db, { operator, age: LATE }), await newLineage(db, { operator, age: LATE })];
    await db.query(sql.unsafe`
      create function fail_to_flag() returns trigger language plpgsql as $$
      begin
        raise exception 'this session cannot be flagged';
      end $$`);
    await db.query(sql.unsafe`
      create trigger fails_to_flag before insert on passport_flags for each row
      when (new.lineage_id = ${sql.literalValue(bad.jti)}) execute function fail_to_flag()`);
    await dueAll([bad, good]);
    await lookAfterLives(own.context);
    assert.deepEqual([await missed(bad), await missed(good)], [false, true]);
    await db.query(sql.unsafe`drop trigger fails_to_flag on passport_flags`);
    await lookAfterLives(own.context);
    assert.equal(await missed(bad), false, 'not again immediately');
    await dueAll([bad]);
    await lookAfterLives(own.context);
    assert.equal(await missed(bad), true, 'but later');
  });

  it('gives each operator its turn: who has one session due does not wait for who has many', async () => {
    const [hostile, honest] = [await newOperator(db), await newOperator(db)];
    for (let count = 0; count < 120; count += 1)
      await dueAll([await newLineage(db, { operator: hostile, age: LATE + 600 })]);
    const one = await newLineage(db, { operator: honest, age: LATE });
    await dueAll([one]);
    const { taken } = await takeDueLives(db, { limit: 100, after: '' });
    assert(taken.includes(lifeId.session(one.session)), 'the last that fell due is in the first batch');
  });

  it('reads what is due, however much is open', async () => {
    const operator = await newOperator(db);
    const open: Lineage[] = [];
    for (let count = 0; count < 60; count += 1) open.push(await newLineage(db, { operator }));
    for (const { session } of open) await advanceSession(own.context, session);
    const Read = z.object({ rows: z.number() });
    const rowsRead = (): Promise<number> =>
      db.transaction(async (connection) => {
        // Tables as small as these would be read whole; those of a million rows are not.
        await connection.query(sql.unsafe`set local enable_seqscan = off`);
        await connection.query(sql.unsafe`discard plans`);
        // The work that the connection did shortly before may be counted too.
        const readSoFar = () =>
          connection.oneFirst(sql.type(Read)`
            select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
            where relname in ('lives', 'passport_sessions', 'passport_lineages')`);
        const before = await readSoFar();
        const { taken: due } = await takeDueLives(connection, { limit: 100, after: '' });
        if (due.length > 0)
          await connection.one(sql.unsafe`select * from look_at_sessions(${sql.array([...due], 'text')}, true, 900)`);
        return (await readSoFar()) - before;
      });
    assert.equal(await rowsRead(), 0, 'nothing is due, so no row is read');
    for (const lineage of open.slice(0, 3)) await timePasses(db, lineage, LATE);
    await dueAll(open.slice(0, 3));
    const read = await rowsRead();
    assert(read > 0 && read <= 3 * 30, `${read} rows read for three that are due`);
    assert.deepEqual(await Promise.all(open.slice(0, 4).map(missed)), [true, true, true, false]);
  });

  it('finds the deadline that a refresh brings back, with no life to see it', async () => {
    const operator = await newOperator(db);
    // The checkpoint would be due after the last expiry, and so is not.
    const lineage = await newLineage(db, { operator, ttl: 320, age: 310 });
    await advanceSession(own.context, lineage.session);
    await refreshed(db, lineage, 600);
    const Soon = z.object({ seconds: z.number() });
    const { seconds } = await db.one(sql.type(Soon)`
      select min(extract(epoch from due_at - clock_timestamp()))::float8 as seconds from lives where life = ${lifeId.session(lineage.session)}`);
    assert(seconds < LATE - 310 + 2, `${seconds}`);
    await timePasses(db, lineage, LATE - 310);
    await dueAll([lineage]);
    await lookAfterLives(own.context);
    assert(await missed(lineage));
  });
});
