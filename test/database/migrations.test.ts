import assert from 'node:assert/strict';
import { migrate } from '../../src/database/migrations.ts';
import { sql } from '../../src/database/pool.ts';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';

describe('migrations', () => {
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  it('are applied once', async () => {
    assert.deepEqual(await migrate(own.url), []);
  });

  it('that differ from what was applied keep the service from starting, in one sentence', async () => {
    await own.pool.query(sql.unsafe`update migrations set checksum = 'another' where name = '0005-billing.sql'`);
    await assert.rejects(
      migrate(own.url),
      (error: unknown) =>
        error instanceof StartupFault &&
        /0005-billing\.sql is not the one that was applied; start that version, or use another DATA_DIR/.test(
          error.message,
        ) &&
        /restores it and writes a new one/.test(error.message),
    );
  });
});
