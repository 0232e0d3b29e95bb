import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { newWallet, run } from '../../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../../wallet/own-database.ts';

describe('the purge of portal sessions', () => {
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  it('reads what is due, however many sessions of the week there are', async () => {
    const operator = await newWallet(own.pool);
    await run(
      own.pool,
      sql.fragment`
      insert into portal_sessions (id, operator_id, status, url, return_to, created_at)
      select 'prt_' || n, ${operator}, case when n <= 3 then 'open' else 'answered' end, case when n <= 3 then 'sealed' end, 'http://carnet.test',
        clock_timestamp() - interval '2 hours'
      from generate_series(1, 5000) n`,
    );
    await run(own.pool, sql.fragment`vacuum analyze portal_sessions`);
    const Read = z.object({ read: z.number() });
    await own.pool.transaction(async (connection) => {
      const reads = () =>
        connection.oneFirst(sql.type(Read)`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'portal_sessions'`);
      const before = await reads();
      await run(connection, sql.fragment`select purge_portals()`);
      const read = (await reads()) - before;
      assert(read < 100, `read ${read} sessions`);
      const left = await connection.oneFirst(sql.type(z.object({ open: z.number() }))`
        select count(*) as open from portal_sessions where status = 'open'`);
      assert.equal(left, 0, 'addresses an hour old are deleted');
    });
  });
});
