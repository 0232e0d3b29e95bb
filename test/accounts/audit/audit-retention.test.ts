import assert from 'node:assert/strict';
import { z } from 'zod';
import { purgeAuditEvents } from '../../../src/accounts/audit/purge.ts';
import { listAuditEvents } from '../../../src/accounts/audit/queries.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { tiers, type Tier } from '../../../src/fields/tiers.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { purgeAll, RETENTION } from '../../support/retention.ts';

describe('the retention of the audit trail', () => {
  let own: OwnContext;
  let db: DatabasePool;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());

  const operator = async (tier: Tier = 'free'): Promise<string> => {
    const id = await newWallet(db, 1);
    await run(db, sql.fragment`update operators set tier = ${tier} where id = ${id}`);
    return id;
  };
  /** `count` events, a second apart, the newest `age` ago. */
  const events = (of: string, { age, count = 1, action = age }: { age: string; count?: number; action?: string }) =>
    run(
      db,
      sql.fragment`
        insert into audit_events (operator_id, actor, action, target, created_at)
        select ${of}, 'test', ${action}, 'test', clock_timestamp() - ${age}::interval - make_interval(secs => ${count} - n)
        from generate_series(1, ${count}) n order by n`,
    );
  const actionsOf = async (of: string): Promise<string[]> => [
    ...(await db.anyFirst(
      sql.type(z.object({ action: z.string() }))`select action from audit_events where operator_id = ${of} order by id`,
    )),
  ];
  const purge = (): Promise<number[]> => purgeAll(own.context, purgeAuditEvents);

  for (const tier of tiers) {
    const [inside, outside] = RETENTION[tier];
    it(`keeps events of tier ${tier} for as long as the tier says, and no longer`, async () => {
      const id = await operator(tier);
      await events(id, { age: outside });
      await events(id, { age: inside });
      await events(id, { age: '0 seconds' });
      await purge();
      assert.deepEqual(await actionsOf(id), [inside, '0 seconds']);
    });
  }

  it('purges a thousand a step until none is left, of all operators', async () => {
    const [one, other, young] = [await operator(), await operator(), await operator()];
    await events(one, { age: '8 days', count: 2_300 });
    await events(one, { age: '1 day', count: 3, action: 'young' });
    await events(other, { age: '8 days', count: 5 });
    await events(young, { age: '1 day', count: 2, action: 'young' });
    const steps = await purge();
    assert(steps.every((purged) => purged <= 1_000));
    assert.equal(
      steps.reduce((sum, purged) => sum + purged, 0),
      2_305,
    );
    assert.deepEqual(await actionsOf(one), ['young', 'young', 'young']);
    assert.deepEqual(await actionsOf(other), []);
    assert.deepEqual(await actionsOf(young), ['young', 'young']);
    assert.deepEqual(await purge(), [0]);
  });

  it('looks at a thousand operators a step', async () => {
    await run(
      db,
      sql.fragment`insert into operators (id, name, email) select 'op_many_' || n, 'many', 'many@example.test' from generate_series(1, 1200) n`,
    );
    await events('op_many_999', { age: '8 days' });
    assert.deepEqual((await purge()).length, 2);
    assert.deepEqual(await actionsOf('op_many_999'), []);
  });

  it('does not read events one by one where the oldest is young enough', async () => {
    const id = await operator('business');
    await events(id, { age: '1 day', count: 5_000 });
    await run(db, sql.fragment`vacuum analyze audit_events`);
    const Read = z.object({ read: z.number() });
    await db.transaction(async (connection) => {
      // Holds what this connection has not yet reported, too.
      const reads = () =>
        connection.oneFirst(sql.type(Read)`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'audit_events'`);
      const before = await reads();
      await run(connection, sql.fragment`select purge_audit_events('', null, 1000)`);
      const read = (await reads()) - before;
      assert(read < 2_500, `read ${read} events`);
    });
  });

  it('keeps events about money for ever, in their place of the trail', async () => {
    const id = (await operator()) as OperatorId;
    const money = [
      'top_up.paid',
      'refund.succeeded',
      'dispute.lost',
      'wallet.adjusted',
      'payment_alarm.dismissed',
      'payout.paid',
      'seats.set',
    ];
    for (const action of ['agent.created', ...money, 'subscription.canceled', 'receivable.closed', 'top_upper.x'])
      await events(id, { age: '8 days', count: 1, action });
    await events(id, { age: '8 days', count: 1_500, action: 'skill.rated' });
    await events(id, { age: '1 day', count: 1, action: 'agent.updated' });
    await purge();
    assert(
      (await purge()).every((purged) => purged === 0),
      'what is kept is not looked at again',
    );
    const kept = [...money, 'subscription.canceled', 'receivable.closed', 'agent.updated'].toReversed();
    const { events: first } = await listAuditEvents(db, id, { limit: 4, before: null });
    const { events: rest } = await listAuditEvents(db, id, { limit: 100, before: first.at(-1)?.id ?? 0 });
    assert.deepEqual(
      [...first, ...rest].map(({ action }) => action),
      kept,
    );
  });

  it('never purges wallet rows, claims and approvals', async () => {
    const id = await operator();
    await run(db, sql.fragment`update transfers set created_at = created_at - interval '3 years' where wallet = ${id}`);
    await run(
      db,
      sql.fragment`select issue_claim('mission', ${`carnet://operator/${id}`}, '{}', null, null, array[${id}])`,
    );
    await purge();
    const left = await db.one(sql.type(z.object({ transfers: z.number(), claims: z.number() }))`
      select (select count(*) from transfers where wallet = ${id}) as transfers,
        (select count(*) from claims where operator_ids[1] = ${id}) as claims`);
    assert.deepEqual(left, { transfers: 1, claims: 1 });
  });
});
