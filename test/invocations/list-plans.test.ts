import assert from 'node:assert/strict';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { listInvocations, listPending } from '../../src/invocations/queries.ts';
import { invoke, newSkill, newWallet, run } from '../billing/ledger/ledger-world.ts';
import { rowsRead } from '../support/rows-read.ts';
import { ownContext, type OwnContext } from './own-context.ts';

describe('Lists of invocations of an operator that has many', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let db: DatabasePool;
  let provider: OperatorId;
  let consumer: OperatorId;
  let rare: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    provider = (await newWallet(db)) as OperatorId;
    consumer = (await newWallet(db)) as OperatorId;
    const common = await newSkill(db, provider, { price: 0 });
    rare = await newSkill(db, provider, { price: 0 });
    const first = await invoke(db, { consumer, skill: common });
    /** Copies of the first one; the oldest are what is looked for, so a list that is walked from its beginning reads all others. */
    const copies = async (name: string, count: number, change: ReturnType<typeof sql.fragment>): Promise<void> => {
      // Few a statement, which has five seconds: each of them issues a claim.
      for (let from = 1; from <= count; from += 200)
        await run(
          db,
          sql.fragment`
            insert into invocations select (jsonb_populate_record(i, jsonb_build_object('id', ${name} || lpad(n::text, 5, '0')) || ${change})).*
            from invocations i, generate_series(${from}::int, ${Math.min(from + 199, count)}::int) n where i.id = ${first}`,
        );
    };
    const completed = sql.fragment`jsonb_build_object('status', 'completed', 'output', '{}', 'completed_at', clock_timestamp())`;
    const failed = sql.fragment`jsonb_build_object('status', 'failed', 'error', '{"code":"X","message":"x"}', 'completed_at', clock_timestamp())`;
    await copies('inv_1', 5, failed);
    await copies('inv_2', 5, sql.fragment`${completed} || jsonb_build_object('skill_id', ${rare}::text)`);
    await copies('inv_3', 4_000, completed);
    await copies('inv_4', 2_000, sql.fragment`'{}'::jsonb`);
    await copies('inv_5', 5, sql.fragment`jsonb_build_object('skill_id', ${rare}::text)`);
    await run(db, sql.fragment`vacuum analyze invocations`);
  });
  after(() => own.close());

  const page = { after: null, limit: 20 };
  for (const side of ['mine', 'provided'] as const) {
    const operatorId = () => (side === 'mine' ? consumer : provider);
    it(`read of ${side} what has the status, not all`, async () => {
      const read = await rowsRead(db, 'invocations', async (connection) => {
        const rows = await listInvocations(connection, side, { ...page, operatorId: operatorId(), status: 'failed' });
        assert.equal(rows.length, 5);
      });
      assert(read < 100, `read ${read} invocations`);
    });

    it(`read of ${side} what is of the skill, not all`, async () => {
      const read = await rowsRead(db, 'invocations', async (connection) => {
        const rows = await listInvocations(connection, side, { ...page, operatorId: operatorId(), skillId: rare });
        assert.equal(rows.length, 10);
      });
      assert(read < 100, `read ${read} invocations`);
    });
  }

  it('read of pending work what is of the skill, not all that waits', async () => {
    const read = await rowsRead(db, 'invocations', async (connection) => {
      const rows = await listPending(connection, { ...page, operatorId: provider, skillId: rare });
      assert.equal(rows.length, 5);
    });
    assert(read < 100, `read ${read} invocations`);
  });
});
