import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../src/database/pool.ts';
import { assertProblem, assertStatus, requester } from '../support/service.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { callUntilKilled, freeKeys, operatorAt } from './answering-world.ts';
import { isCommitted, pointsOfWaitingCommand } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const PATH = '/v1/billing/subscribe';
const BODY = { tier: 'pro' };

describe('kill -9 of a process that answers a subscribe', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const countOf = ({ context: { pool } }: World, what: 'changes' | 'checkouts'): Promise<unknown> =>
    what === 'changes'
      ? pool.oneFirst(sql.unsafe`select count(*)::int from subscription_changes`)
      : pool.oneFirst(sql.unsafe`select count(*)::int from local_checkouts`);

  for (const point of pointsOfWaitingCommand('subscribe')) {
    itBeside(`at ${point}: the same call, made again elsewhere, has one page`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api', 'worker'), world.api({ FAULT_AT: point })]);
        const { key } = await operatorAt(world, api.baseUrl);
        const headers = { 'idempotency-key': randomUUID() };
        await callUntilKilled(dying, () => requester(key, dying.baseUrl).post(PATH, BODY, headers));
        await freeKeys(world);
        const caller = requester(key, api.baseUrl);
        const again = await untilAnswered(() => caller.post(PATH, BODY, headers));
        const page = assertStatus(again, 200);
        assert.equal(again.headers.get('idempotency-replayed'), isCommitted(point) ? 'true' : null);
        assert.deepEqual(assertStatus(await caller.post(PATH, BODY, headers), 200), page);
        assert.deepEqual([await countOf(world, 'changes'), await countOf(world, 'checkouts')], [1, 1]);
      }),
    );
  }

  itBeside('without a worker it is 503, and the same call has the page once there is one', () =>
    worlds.visit(async (world) => {
      const api = await world.runHere('api');
      const { key } = await operatorAt(world, api.baseUrl);
      const caller = requester(key, api.baseUrl);
      const headers = { 'idempotency-key': randomUUID() };
      const unanswered = await caller.post(PATH, BODY, headers);
      assertProblem(unanswered, 'TEMPORARILY_UNAVAILABLE');
      assert.match(unanswered.headers.get('retry-after') ?? '', /^\d+$/);
      assertProblem(await caller.post(PATH, BODY), 'CONFLICT');
      assert.deepEqual([await countOf(world, 'changes'), await countOf(world, 'checkouts')], [1, 0]);
      await world.runHere('worker');
      const { checkout_url: url } = assertStatus(await untilAnswered(() => caller.post(PATH, BODY, headers)), 200);
      assert.equal(typeof url, 'string');
      assert.equal((await untilAnswered(() => caller.post(PATH, BODY))).body.checkout_url, url);
      assert.deepEqual([await countOf(world, 'changes'), await countOf(world, 'checkouts')], [1, 1]);
    }),
  );

  itBeside('given up before there was a worker it is never opened', () =>
    worlds.visit(async (world) => {
      const api = await world.runHere('api');
      const { key } = await operatorAt(world, api.baseUrl);
      const caller = requester(key, api.baseUrl);
      const headers = { 'idempotency-key': randomUUID() };
      assertProblem(await caller.post(PATH, BODY, headers), 'TEMPORARILY_UNAVAILABLE');
      assertStatus(await caller.post('/v1/billing/cancel-subscription'), 200);
      assertProblem(await caller.post(PATH, BODY, headers), 'CONFLICT');
      await world.runHere('worker');
      assert.equal(
        typeof assertStatus(await untilAnswered(() => caller.post(PATH, BODY, headers)), 200).checkout_url,
        'string',
      );
      assert.deepEqual([await countOf(world, 'changes'), await countOf(world, 'checkouts')], [2, 1]);
    }),
  );
});
