import assert from 'node:assert/strict';
import { z } from 'zod';
import { keepConnection } from '../../src/database/keep-connection.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { service } from '../support/service.ts';

describe('keepConnection', () => {
  let pool: DatabasePool;
  before(async () => {
    pool = await openPool(service().databaseUrl, { size: 1, applicationName: 'carnet-test' });
  });
  after(() => pool.end());

  const backend = () => pool.oneFirst(sql.type(z.object({ pid: z.number() }))`select pg_backend_pid() as pid`);
  const Nothing = sql.type(z.object({}));

  it('keeps the connection after a refusal by a function, by a constraint and by the command', async () => {
    const pid = await backend();
    await assert.rejects(
      keepConnection(pool, (connection) => connection.any(Nothing`select refuse('NOT_FOUND', 'no')`)),
      /NOT_FOUND/,
    );
    await assert.rejects(
      keepConnection(pool, (connection) =>
        connection.any(Nothing`insert into wallets (operator_id) values ('op_nobody')`),
      ),
    );
    const refused = new CarnetError('NOT_FOUND', 'no');
    await assert.rejects(
      keepConnection(pool, (connection) => connection.transaction(() => Promise.reject(refused))),
      (error) => error === refused,
    );
    assert.equal(await backend(), pid);
  });

  it('rolls back what a refused command did', async () => {
    const before = await pool.oneFirst(
      sql.type(
        z.object({ count: z.number() }),
      )`select count(*) as count from audit_events where action = 'test.rolled-back'`,
    );
    await assert.rejects(
      keepConnection(pool, (connection) =>
        connection.transaction(async (transaction) => {
          await transaction.query(
            Nothing`insert into audit_events (operator_id, actor, action, target) values ('op_platform', 'test', 'test.rolled-back', 'x')`,
          );
          throw new CarnetError('NOT_FOUND', 'no');
        }),
      ),
    );
    assert.equal(
      await pool.oneFirst(
        sql.type(
          z.object({ count: z.number() }),
        )`select count(*) as count from audit_events where action = 'test.rolled-back'`,
      ),
      before,
    );
  });

  it('gives up the connection after anything else', async () => {
    const pid = await backend();
    await assert.rejects(keepConnection(pool, (connection) => connection.any(Nothing`select 1 / 0`)));
    assert.notEqual(await backend(), pid);
  });
});
