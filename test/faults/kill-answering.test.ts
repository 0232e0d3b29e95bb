import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { errors } from 'undici';
import { sql } from '../../src/database/pool.ts';
import type { SignedPassport } from '../../src/passports/schema.ts';
import { approveByHand, refusedWith, withApproval } from '../governance/support.ts';
import { publication, unique, type TestInvocation } from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { openMarket, type Market, type MarketPlace } from '../support/market.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { assertStatus, requester, type Requester } from '../support/service.ts';
import { hotOperations, isCommitted, pointsOfCommand, pointsOfDelivery, pointsOfHotCommands } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

/** A call that is cut off: sent once to a process that is killed by it, then again to one that lives. */
interface Call {
  as: Requester;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  status: 200 | 201;
}

/** Its consumer invokes with a passport of two hops, each with a budget. */
type Budgeted = Market & { passport: string };

const isInvocation = (operation: string): boolean => operation === 'invokeSkill' || operation === 'trySkill';

describe('kill -9 of a process that answers', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  /** The world of the cases that kill a process with a call, and what serves in it meanwhile. */
  let shared: World;
  let place: MarketPlace;
  /** The invocations of every case, with their market. */
  const touched = new Map<string, Market>();

  before(async () => {
    shared = await worlds.open();
    const { baseUrl } = await shared.runHere('api', 'worker');
    const { platformAdminKey: adminKey, databaseUrl } = shared.context.config;
    place = { baseUrl, adminKey, databaseUrl };
  });

  /** A provider that sells for 7 cents, and a consumer with money and a passport: each case has operators of its own. */
  const newMarket = async (): Promise<Budgeted> => {
    const market = await openMarket(place);
    const agent = async (): Promise<string> =>
      assertStatus(await market.consumer.post<{ id: string }>('/v1/agents', { name: unique('agent') }), 201).id;
    const budget = { amount_cents: 100 };
    const root = await market.consumer.post<SignedPassport>('/v1/passports/issue', { agent_id: await agent(), budget });
    const parent = { parent_passport_token: assertStatus(root, 201).token, child_agent_id: await agent(), scopes: [] };
    const leaf = await market.consumer.post<SignedPassport>('/v1/passports/delegate', { ...parent, budget });
    return { ...market, passport: assertStatus(leaf, 201).jti };
  };
  const pending = async (market: Budgeted): Promise<string> => {
    const id = await market.pending({ passport_id: market.passport });
    touched.set(id, market);
    return `/v1/skills/invocations/${id}`;
  };
  const claimed = async (market: Budgeted, body?: unknown): Promise<string> => {
    const path = await pending(market);
    assertStatus(await market.provider.post(`${path}/claim`, body), 200);
    return path;
  };
  const invoke = ({ consumer, skillId, passport }: Budgeted): Call => ({
    as: consumer,
    path: `/v1/skills/${skillId}/invoke`,
    body: { input: { text: 'hello' }, passport_id: passport },
    status: 201,
  });

  const commands: Record<string, (market: Budgeted) => Promise<Call> | Call> = {
    invokeSkill: invoke,
    claimInvocation: async (market) => ({ as: market.provider, path: `${await pending(market)}/claim`, status: 200 }),
    heartbeatInvocation: async (market) => ({
      as: market.provider,
      path: `${await claimed(market, { lease_seconds: 600 })}/heartbeat`,
      status: 200,
    }),
    completeInvocation: async (market) => ({
      as: market.provider,
      path: `${await claimed(market)}/complete`,
      body: { output: { text: 'HELLO' } },
      status: 200,
    }),
    failInvocation: async (market) => ({
      as: market.provider,
      path: `${await claimed(market)}/fail`,
      body: { error: { code: 'X', message: 'x' } },
      status: 200,
    }),
    cancelInvocation: async (market) => ({ as: market.consumer, path: `${await pending(market)}/cancel`, status: 200 }),
    async trySkill({ consumer }) {
      const sealed = { execution_mode: 'sealed', execution_script: 'main = (input) => input', output_schema: {} };
      const { id } = assertStatus(await consumer.post<{ id: string }>('/v1/skills', publication(sealed)), 201);
      return { as: consumer, path: `/v1/skills/${id}/try`, body: { input: { text: 'hello' } }, status: 201 };
    },
    async createAdjustment({ consumerId }) {
      const as = requester(place.adminKey, place.baseUrl);
      const path = `/v1/admin/operators/${consumerId}/adjustments`;
      const body = { amount_cents: 11, description: 'sent twice' };
      const { approval_id: id } = refusedWith(await as.post(path, body));
      await approveByHand(id, shared.context.pool);
      return { as, path, body, headers: withApproval(id), status: 201 };
    },
  };

  /** The cents that the budgets of both hops have used. */
  const usedOf = ({ passport }: Budgeted): Promise<readonly number[]> =>
    shared.context.pool.anyFirst(sql.type(z.object({ used: z.number() }))`
      select used_cents as used from passport_budgets where jti = any(array(select unnest(budgets) from passports where jti = ${passport}))`);

  const invocationsOf = ({ consumerId }: Market): Promise<unknown> =>
    shared.context.pool.oneFirst(
      sql.unsafe`select count(*)::int from invocations where consumer_operator_id = ${consumerId}`,
    );

  it('has a case for every command that changes an invocation', () => {
    assert.deepEqual(new Set(Object.keys(commands)), new Set([...hotOperations(), 'createAdjustment']));
  });

  for (const point of [...pointsOfHotCommands(), ...pointsOfCommand('createAdjustment')]) {
    itBeside(`at ${point}: the same call, made again elsewhere, has its effect once`, async () => {
      const [operation = ''] = point.split(':');
      const prepare = commands[operation];
      assert(prepare !== undefined);
      const dying = await shared.api({ FAULT_AT: point });
      const market = await newMarket();
      const { as, path, body, headers, status } = await prepare(market);
      const key = { ...headers, 'idempotency-key': randomUUID() };
      const [{ balance_cents: balance }, count] = [await market.balance(), await invocationsOf(market)];
      const used = await usedOf(market);

      await assert.rejects(
        requester(as.key, dying.baseUrl).post(path, body, key),
        errors.SocketError,
        'nobody is left to answer',
      );
      assert.equal(await dying.ended, 'SIGKILL');

      const again = await as.post<TestInvocation>(path, body, key);
      const once = assertStatus(again, status);
      assert.equal(again.headers.get('idempotency-replayed'), isCommitted(point) ? 'true' : null);
      const third = await as.post(path, body, key);
      assert.deepEqual(third.body, once);
      assert.equal(third.headers.get('idempotency-replayed'), 'true');

      // Its step costs less than a cent, which is held until it ends.
      if (operation === 'trySkill')
        await eventually('the trial to end', async () => (await market.show(once.id)).status === 'completed', {
          seconds: 120,
        });
      const costs: Record<string, number> = {
        invokeSkill: -7,
        createAdjustment: 11,
        failInvocation: 7,
        cancelInvocation: 7,
      };
      assert.equal(
        (await market.balance()).balance_cents,
        balance + (costs[operation] ?? 0),
        'the wallet feels it once',
      );
      const spent = operation === 'createAdjustment' ? 0 : -(costs[operation] ?? 0);
      assert.deepEqual(
        await usedOf(market),
        used.map((cents) => cents + spent),
        'each budget counts it once',
      );
      assert.equal(await invocationsOf(market), Number(count) + (isInvocation(operation) ? 1 : 0));
      if (operation === 'invokeSkill') touched.set(once.id, market);
      await assertInvariants(
        shared.context.pool,
        [...touched].filter(([, whose]) => whose === market).map(([id]) => id),
      );
    });
  }

  for (const point of pointsOfDelivery()) {
    // In a world of its own: there the first message that is delivered, at which the process dies, belongs to the call
    // it has just answered.
    itBeside(`at ${point}: the message reaches its life all the same`, () =>
      worlds.visit(async (world) => {
        const market = await openMarket(await world.serve());
        const dying = await world.api({ FAULT_AT: point });
        const id = await market.at(dying.baseUrl).pending();
        assert.equal(await dying.ended, 'SIGKILL');
        const { pool } = world.context;
        // The lease of the process that died ends after 15 s; by Postgres' clock it is made to end now.
        await pool.query(
          sql.unsafe`update lives set due_at = clock_timestamp() where life = ${`invocation:${id}`} and epoch is null`,
        );
        await world.runHere('worker');
        await settled(pool, [id]);
        assertStatus(await market.act(id, 'cancel'), 200);
        await settled(pool, [id]);
        await world.lives.closed([id]);
        await assertInvariants(pool, [id]);
      }),
    );
  }

  it('loses no life: each follows its invocation to the end', async () => {
    const { pool: db } = shared.context;
    // Anything else that a killed process had leased is free after 15 s; by Postgres' clock it is made free now.
    await db.query(
      sql.unsafe`update lives set due_at = clock_timestamp() where epoch is null and due_at > clock_timestamp() + interval '5 seconds'`,
    );
    for (const [id, market] of touched) {
      if ((await market.act(id, 'cancel')).status === 200) continue;
      if ((await market.show(id)).status === 'processing') assertStatus(await market.act(id, 'complete'), 200);
    }
    const ids = [...touched.keys()];
    await settled(db, ids);
    await shared.lives.closed(ids);
    await assertInvariants(db, ids);
  });
});
