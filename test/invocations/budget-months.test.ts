import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type DatabaseTransactionConnection } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { cancel, invoke, newSkill, newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';

/** Replaces Postgres' clock: its first reading is the last moment of an October far ahead, every later one lies in November. */
async function setClockBetweenMonths(connection: DatabaseTransactionConnection): Promise<void> {
  await run(connection, sql.fragment`create schema clocks`);
  await run(connection, sql.fragment`create sequence clocks.looks`);
  await run(
    connection,
    sql.fragment`
      create function clocks.clock_timestamp() returns timestamptz language sql volatile as $$
        select case nextval('clocks.looks') when 1 then timestamptz '2126-10-31 23:59:59.999Z' else '2126-11-01 00:00:00Z' end;
      $$`,
  );
  await run(
    connection,
    sql.fragment`select set_config('search_path', 'clocks,' || current_setting('search_path') || ',pg_catalog', true)`,
  );
}

describe('the budget of an agent, where the month ends during an invoke', () => {
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  it('counts the hold in the month that it is given back to', async () => {
    const { pool } = own;
    const consumer = await newWallet(pool, 100);
    const skill = await newSkill(pool, await newWallet(pool), { price: 25 });
    const agent = newId('ag');
    await run(pool, sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'late')`);
    const id = await pool.transaction(async (connection) => {
      await setClockBetweenMonths(connection);
      return invoke(connection, { consumer, skill }, { agent });
    });
    const spending = () =>
      pool.any(sql.type(z.object({ month: z.string(), cents: z.number() }))`
        select month::text, cents from agent_spending where subject = ${agent}`);
    assert.deepEqual(await spending(), [{ month: '2126-10-01', cents: 25 }]);
    await cancel(pool, consumer, id);
    assert.deepEqual(await spending(), [{ month: '2126-10-01', cents: 0 }]);
    await assertLedger(pool);
  });
});
