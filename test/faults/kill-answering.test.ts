import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../src/database/pool.ts';
import { buildInvocation, buildOperator, buildSkill, type TestInvocation, type TestOperator } from '../support/factories.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { settingsBeside, startRole } from '../support/role.ts';
import { assertStatus, database, platform, requester, service, type Requester } from '../support/service.ts';
import { pointsOutsideLives } from './fault-points.ts';

/** A call that dies on the way: made once at a process that is killed by it, then again at one that lives. */
interface Call {
  as: Requester;
  path: string;
  body?: unknown;
  status: 200 | 201;
}

/** Only what was committed can be answered again as it was. */
const keptItsEffect = (point: string): boolean => point.endsWith(':committed');

describe('kill -9 of a process that answers', function () {
  this.timeout(120_000);
  let provider: TestOperator;
  let consumer: TestOperator;
  let skillId: string;
  let lives: Lives;
  const touched: string[] = [];

  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 10_000 });
    skillId = (await buildSkill(provider, { price_per_invocation: 7 })).id;
    lives = livesOf(service().credentials);
  });
  after(() => lives.close());

  const pending = async (): Promise<string> => {
    const { id } = await buildInvocation(consumer, skillId);
    touched.push(id);
    return `/v1/skills/invocations/${id}`;
  };
  const claimed = async (body?: unknown): Promise<string> => {
    const path = await pending();
    assertStatus(await provider.post(`${path}/claim`, body), 200);
    return path;
  };
  const invoke = (): Call => ({ as: consumer, path: `/v1/skills/${skillId}/invoke`, body: { input: { text: 'hello' } }, status: 201 });

  const commands: Record<string, () => Promise<Call> | Call> = {
    invokeSkill: invoke,
    claimInvocation: async () => ({ as: provider, path: `${await pending()}/claim`, status: 200 }),
    heartbeatInvocation: async () => ({ as: provider, path: `${await claimed({ lease_seconds: 600 })}/heartbeat`, status: 200 }),
    completeInvocation: async () => ({ as: provider, path: `${await claimed()}/complete`, body: { output: { text: 'HELLO' } }, status: 200 }),
    failInvocation: async () => ({ as: provider, path: `${await claimed()}/fail`, body: { error: { code: 'X', message: 'x' } }, status: 200 }),
    cancelInvocation: async () => ({ as: consumer, path: `${await pending()}/cancel`, status: 200 }),
    createAdjustment: () => ({
      as: platform(),
      path: `/v1/admin/operators/${consumer.operatorId}/adjustments`,
      body: { amount_cents: 11, description: 'told twice' },
      status: 201,
    }),
  };

  const available = async (): Promise<unknown> => (await consumer.get('/v1/billing/balance')).body.balance_cents;
  const invocations = async (): Promise<unknown> =>
    (await database()).oneFirst(sql.unsafe`select count(*)::int from invocations where consumer_operator_id = ${consumer.operatorId}`);

  /** Another process beside the service on the same rows, which dies at this point. */
  const victim = async (point: string): Promise<Awaited<ReturnType<typeof startRole>>> =>
    startRole('api', { ...(await settingsBeside(service())), FAULT_AT: point });

  for (const point of pointsOutsideLives().filter((name) => !name.startsWith('delivery:'))) {
    it(`at ${point}: the same call, made again elsewhere, has its effect once`, async () => {
      const [operation = ''] = point.split(':');
      const prepare = commands[operation];
      assert(prepare !== undefined, `a case for the fault points of ${operation} is missing in this test`);
      const dying = await victim(point);
      const { as, path, body, status } = await prepare();
      const key = { 'idempotency-key': randomUUID() };
      const [balance, count] = [await available(), await invocations()];

      await assert.rejects(requester(as.key, dying.baseUrl).post(path, body, key), TypeError, 'nobody is left to answer');
      assert.equal(await dying.ended, 'SIGKILL');

      const again = await as.post<TestInvocation>(path, body, key);
      const once = assertStatus(again, status);
      assert.equal(again.headers.get('idempotency-replayed'), keptItsEffect(point) ? 'true' : null);
      const third = await as.post(path, body, key);
      assert.deepEqual(third.body, once);
      assert.equal(third.headers.get('idempotency-replayed'), 'true');

      const costs: Record<string, number> = { invokeSkill: -7, createAdjustment: 11, failInvocation: 7, cancelInvocation: 7 };
      assert.equal(await available(), Number(balance) + (costs[operation] ?? 0), 'the wallet feels it once');
      assert.equal(await invocations(), Number(count) + (operation === 'invokeSkill' ? 1 : 0));
      if (operation === 'invokeSkill') touched.push(once.id);
      await assertInvariants(await database(), touched);
    });
  }

  for (const point of pointsOutsideLives().filter((name) => name.startsWith('delivery:'))) {
    it(`at ${point}: the message reaches its life all the same`, async () => {
      const dying = await victim(point);
      const { as, path, body } = invoke();
      const { id } = assertStatus(await requester(as.key, dying.baseUrl).post<TestInvocation>(path, body), 201);
      touched.push(id);
      assert.equal(await dying.ended, 'SIGKILL');
      // The lease of whoever died ends after 15 s; by Postgres' clock it is over now.
      const db = await database();
      await db.query(sql.unsafe`update life_messages set lease_until = clock_timestamp() where life = ${`invocation:${id}`}`);
      await settled(db, [id]);
    });
  }

  it('leaves no life behind: each follows its invocation to the end', async () => {
    const db = await database();
    // Whatever a victim had in hand besides is free after 15 s; by Postgres' clock it is now.
    await db.query(sql.unsafe`update life_messages set lease_until = clock_timestamp() where lease_until > clock_timestamp() + interval '5 seconds'`);
    for (const id of touched) await consumer.post(`/v1/skills/invocations/${id}/cancel`);
    const claimedOnes = await db.anyFirst(sql.unsafe`
      select id from invocations where status = 'processing' and consumer_operator_id = ${consumer.operatorId}`);
    for (const id of claimedOnes) {
      assertStatus(await provider.post(`/v1/skills/invocations/${String(id)}/complete`, { output: { text: 'HELLO' } }), 200);
    }
    await settled(db, touched);
    await lives.closed(touched);
    await assertInvariants(db, touched);
  });
});
