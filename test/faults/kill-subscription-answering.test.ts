import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../src/database/pool.ts';
import { assertStatus, requester } from '../support/service.ts';
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

  for (const point of pointsOfWaitingCommand('subscribe', 'openSubscriptionCheckout')) {
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

  itBeside(
    'without a worker each is answered, and the page of a change that was given up is closed before another is opened',
    () =>
      worlds.visit(async (world) => {
        const api = await world.runHere('api');
        const { key } = await operatorAt(world, api.baseUrl);
        const caller = requester(key, api.baseUrl);
        const first = assertStatus(await caller.post(PATH, BODY), 200);
        assert.equal((await caller.post(PATH, BODY)).body.checkout_url, first.checkout_url);
        assertStatus(await caller.delete('/v1/billing/subscription/change'), 200);
        const second = assertStatus(await caller.post(PATH, BODY), 200);
        assert.notEqual(second.checkout_url, first.checkout_url);
        const statuses = await world.context.pool.anyFirst(sql.unsafe`select status from local_checkouts order by id`);
        assert.deepEqual(statuses, ['expired', 'open']);
      }),
  );
});
