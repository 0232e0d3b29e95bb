import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { tiers, type Tier } from '../../src/fields/tiers.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { purgeInvocationContents } from '../../src/invocations/purge.ts';
import { findInvocation, listInvocations } from '../../src/invocations/queries.ts';
import { claim, complete, fail, invoke, newSkill, newWallet, run } from '../billing/ledger/ledger-world.ts';
import { purgeAll, RETENTION } from '../support/retention.ts';
import { ownContext, type OwnContext } from './own-context.ts';

describe('The retention of input and output', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let provider: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    provider = await newWallet(db);
    skill = await newSkill(db, provider, { price: 0 });
  });
  after(() => own.close());

  const consumerOf = async (tier: Tier = 'free'): Promise<OperatorId> => {
    const id = await newWallet(db);
    await run(db, sql.fragment`update operators set tier = ${tier} where id = ${id}`);
    return id as OperatorId;
  };
  /** An invocation that ended `age` ago. */
  const ended = async (consumer: string, age: string, end: 'completed' | 'failed' = 'completed'): Promise<string> => {
    const id = await invoke(db, { consumer, skill });
    await claim(db, { provider, id });
    if (end === 'completed') await complete(db, { provider, id, output: '{"text":"HELLO"}' });
    else await fail(db, { provider, id });
    await run(
      db,
      sql.fragment`update invocations set completed_at = clock_timestamp() - ${age}::interval where id = ${id}`,
    );
    return id;
  };
  const purge = async (): Promise<number> =>
    (await purgeAll(own.context, purgeInvocationContents)).reduce((sum, purged) => sum + purged, 0);
  const read = async (reader: string, id: string) =>
    (await findInvocation(db, id, { operatorId: reader as OperatorId })) ?? assert.fail('the invocation is gone');
  const bytesOf = async (operator: string): Promise<number> =>
    (
      await db.one(sql.type(z.object({ bytes: z.number() }))`
        select coalesce(sum(bytes), 0)::bigint as bytes from content_bytes where operator_id = ${operator}`)
    ).bytes;

  for (const tier of tiers) {
    const [inside, outside] = RETENTION[tier];
    it(`keeps them for ${inside} and no longer than ${outside} after the end, on the ${tier} tier of the consumer`, async () => {
      const consumer = await consumerOf(tier);
      const [kept, gone] = [await ended(consumer, inside), await ended(consumer, outside)];
      const [keptBefore, goneBefore] = [await read(consumer, kept), await read(consumer, gone)];
      assert.equal(goneBefore.contents_purged_at, null);
      assert.equal(await purge(), 1);
      assert.equal(await purge(), 0);
      assert.deepEqual(await read(consumer, kept), keptBefore);
      const after = await read(consumer, gone);
      assert.notEqual(after.contents_purged_at, null);
      const { contents_purged_at: at } = after;
      assert.deepEqual(after, { ...goneBefore, input: null, output: null, contents_purged_at: at });
      assert.deepEqual(await read(provider, gone), after);
    });
  }

  it('takes the input of what failed, and lists it with its hash, its error and when it was purged', async () => {
    const consumer = await consumerOf();
    const id = await ended(consumer, '8 days', 'failed');
    await purge();
    const page = { operatorId: consumer, after: null, limit: 10 };
    const [listed, ...others] = await listInvocations(db, 'mine', page);
    assert.deepEqual(others, []);
    assert.equal(listed?.id, id);
    assert.equal(listed.input_hash, 'hash');
    assert.deepEqual(listed.error, { code: 'BROKEN', message: 'broken' });
    assert.notEqual(listed.contents_purged_at, null);
    assert.equal((await read(consumer, id)).input, null);
  });

  it('leaves what has not ended as it is, however old', async () => {
    const consumer = await consumerOf();
    const id = await invoke(db, { consumer, skill });
    await run(db, sql.fragment`update invocations set created_at = now() - interval '3 years' where id = ${id}`);
    await purge();
    assert.deepEqual((await read(consumer, id)).input, {});
  });

  it('takes what a failed script printed', async () => {
    const consumer = await consumerOf();
    const id = await ended(consumer, '8 days', 'failed');
    await run(
      db,
      sql.fragment`
        insert into sealed_steps (invocation_id, step_index, id, kind, status, ended_at, console)
        values (${id}, 0, ${id}, 'script', 'failed', now(), 'printed')`,
    );
    await purge();
    const printed = await db.oneFirst(sql.type(z.object({ console: z.string().nullable() }))`
      select console from sealed_steps where invocation_id = ${id}`);
    assert.equal(printed, null);
  });

  it('counts the bytes of what ended, once, and takes off what was purged of it', async () => {
    const consumer = await consumerOf();
    await ended(consumer, '2 hours');
    await ended(consumer, '1 hour', 'failed');
    await ended(consumer, '8 days');
    await purge();
    // `{}` and `{"text":"HELLO"}`, and of the failed one its input alone.
    assert.equal(await bytesOf(consumer), 2 + 16 + 2);
    await ended(consumer, '3 minutes', 'failed');
    await ended(consumer, '1 second', 'failed');
    await purge();
    assert.equal(await bytesOf(consumer), 2 + 16 + 2 + 2, 'a minute stays away');
    const mine = sql.fragment`where consumer_operator_id = ${consumer}`;
    await run(
      db,
      sql.fragment`delete from invocations ${mine} and completed_at > clock_timestamp() - interval '1 minute'`,
    );
    await run(db, sql.fragment`update invocations set completed_at = completed_at - interval '8 days' ${mine}`);
    await purge();
    assert.equal(await bytesOf(consumer), 0);
  });

  it('reads what is due, not all that is kept', async () => {
    const consumer = await consumerOf('business');
    const young = await ended(consumer, '1 hour');
    await run(
      db,
      sql.fragment`
        insert into invocations select (jsonb_populate_record(i, jsonb_build_object('id', 'inv_many_' || n))).*
        from invocations i, generate_series(1, 5000) n where i.id = ${young}`,
    );
    await purge(); // counts them
    for (let nth = 0; nth < 3; nth += 1) await ended(consumer, '25 months');
    await run(db, sql.fragment`vacuum analyze invocations`);
    await db.transaction(async (connection) => {
      const reads = () =>
        connection.oneFirst(sql.type(z.object({ read: z.number() }))`
          select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'invocations'`);
      const before = await reads();
      const purged = await connection.oneFirst(
        sql.type(z.object({ purged: z.number() }))`select purged from purge_invocation_contents('', null, 500)`,
      );
      assert.equal(purged, 3);
      const rows = (await reads()) - before;
      assert(rows < 100, `read ${rows} invocations`);
    });
  });
});
