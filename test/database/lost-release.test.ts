import assert from 'node:assert/strict';
import pg from 'pg';
import pino from 'pino';
import { z } from 'zod';
import { translateDatabaseError } from '../../src/database/errors.ts';
import { MIGRATOR_LOCK, ownRelease, RELEASE_LOCKS } from '../../src/database/functions.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { openRowEvents, type RowEvents } from '../../src/database/row-events.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { migratedDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { installedAt } from './installed-at.ts';

const { schema, lock } = ownRelease();
const Cents = z.object({ cents: z.number() });

describe('a release that is dropped while a process serves', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  let pool: DatabasePool;
  let rowEvents: RowEvents | undefined;

  beforeEach(async () => {
    database = await migratedDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    pool = await openPool(database.url, { size: 4, applicationName: 'carnet-test' });
  });
  afterEach(async () => {
    await rowEvents?.close();
    rowEvents = undefined;
    await pool.end();
    await client.end();
    await database.drop();
  });

  const call = (cents = 100): Promise<number> =>
    pool.oneFirst(sql.type(Cents)`select cost_with_fee(${cents}::bigint) as cents`);
  const isUnavailable = (error: unknown): boolean => {
    const refusal = translateDatabaseError(error);
    assert(refusal instanceof CarnetError, String(error));
    assert.equal(refusal.code, 'TEMPORARILY_UNAVAILABLE');
    assert.match(refusal.headers['Retry-After'] ?? '', /^\d+$/);
    return true;
  };
  const isInUse = async (): Promise<boolean> =>
    (
      await client.query(
        `select from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2::bigint::oid and granted
           and database = (select oid from pg_database where datname = current_database())`,
        [RELEASE_LOCKS, lock >>> 0],
      )
    ).rowCount === 1;

  it('refuses calls with 503, and is installed again by the first of them', async () => {
    assert.equal(await call(), 115);
    await client.query(`drop schema ${schema} cascade`);
    const outcomes = await Promise.allSettled([call(), call(), call()]);
    assert(outcomes.some(({ status }) => status === 'rejected'));
    for (const outcome of outcomes) if (outcome.status === 'rejected') isUnavailable(outcome.reason);
    for (let nth = 0; nth < 8; nth += 1) assert.equal(await call(), 115);
  });

  it('is installed again inside of the transaction of a call, which is refused whole', async () => {
    await client.query('create table noted (id int)');
    await client.query(`drop function ${schema}.cost_with_fee(bigint)`);
    const noting = pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`insert into noted values (1)`);
      await transaction.query(sql.unsafe`select cost_with_fee(100)`);
    });
    await assert.rejects(noting, isUnavailable);
    assert.equal((await client.query('select from noted')).rowCount, 0);
    assert.equal(await call(), 115);
  });

  it('refuses calls with 503 while somebody migrates, who may install it too', async () => {
    await client.query(`drop schema ${schema} cascade`);
    await client.query('select pg_advisory_lock($1)', [MIGRATOR_LOCK]);
    await assert.rejects(call(), isUnavailable);
    await client.query('select pg_advisory_unlock($1)', [MIGRATOR_LOCK]);
    await assert.rejects(call(), isUnavailable);
    assert.equal(await call(), 115);
  });

  it('leaves a call of what never was there the fault that it is', async () => {
    await installedAt(client, ownRelease(), new Date(Date.now() - 60_000));
    for (const wrong of [sql.unsafe`select no_such_function(1)`, sql.unsafe`select cost_with_fee('{}'::jsonb)`]) {
      await assert.rejects(pool.any(wrong), (error) => {
        assert.equal((error as { code?: string }).code, '42883');
        assert(!(translateDatabaseError(error) instanceof CarnetError));
        return true;
      });
    }
  });

  it('refuses what a connection had prepared for other results with 503, once a connection', async () => {
    const lane = await openPool(database.url, { size: 1, applicationName: 'carnet-test' });
    try {
      await client.query('create table prepared (one int)');
      const read = () => lane.any(sql.unsafe`select * from prepared where one = ${1}`);
      await read();
      await read(); // from its second time on a text is prepared
      await client.query('alter table prepared add column two int');
      await assert.rejects(read(), isUnavailable);
      await read();
    } finally {
      await lane.end();
    }
  });

  it('is in use from the start of a process, and again as soon as its connection is back', async () => {
    rowEvents = await openRowEvents(database.url, pino({ enabled: false }));
    assert(rowEvents.listening);
    assert(await isInUse());
    // Those who drop it take the lock exclusively; waiting for it already, they get it before the process is back.
    await client.query('begin');
    const taken = client.query('select pg_advisory_xact_lock($1, $2)', [RELEASE_LOCKS, lock]);
    await eventually('the drop to wait for the process', () =>
      pool.exists(sql.unsafe`select from pg_locks where locktype = 'advisory' and not granted`),
    );
    await pool.any(
      sql.unsafe`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'carnet-row-events'`,
    );
    await taken;
    await client.query(`drop schema ${schema} cascade`);
    await eventually('the process to have noticed', () => rowEvents?.listening === false);
    await client.query('commit');
    await eventually('the process to be back', () => rowEvents?.listening === true);
    assert(await isInUse());
    assert.equal(await call(), 115, 'they are there before the first call');
  });
});
