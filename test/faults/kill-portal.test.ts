import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ensureOperator } from '../../src/accounts/index.ts';
import { openPortal } from '../../src/billing/subscriptions/portal/create.ts';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { beginUnopened } from '../billing/payments/silent-provider.ts';
import { callOf } from '../invocations/own-context.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, requester } from '../support/service.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { callUntilKilled, freeKeys, operatorAt } from './answering-world.ts';
import { pointsOfSteps, pointsOfWaitingCommand } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const PATH = '/v1/billing/portal';

describe('kill -9 while a portal is opened', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const assertOne = async ({ context: { pool } }: World): Promise<void> => {
    assert.equal(await pool.oneFirst(sql.unsafe`select count(*)::int from local_portals`), 1);
    assert.deepEqual(await pool.one(sql.unsafe`select status, url from portal_sessions`), {
      status: 'answered',
      url: null,
    });
  };

  for (const point of pointsOfWaitingCommand('openPortal', 'openPortalPage')) {
    itBeside(`at ${point}, of the process that answers: the same call, made again elsewhere, has the one page`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api', 'worker'), world.api({ FAULT_AT: point })]);
        const { key } = await operatorAt(world, api.baseUrl);
        const headers = { 'idempotency-key': randomUUID() };
        await callUntilKilled(dying, () => requester(key, dying.baseUrl).post(PATH, undefined, headers));
        await freeKeys(world);
        const again = () => untilAnswered(() => requester(key, api.baseUrl).post(PATH, undefined, headers));
        const page = assertStatus(await again(), 200);
        assert.deepEqual(assertStatus(await again(), 200), page);
        await assertOne(world);
      }),
    );
  }

  for (const point of pointsOfSteps('advancePortal', 'openPortalPage')) {
    itBeside(`at ${point}, of the worker: the next one opens the one page`, () =>
      worlds.visit(async (world) => {
        const { context, lives } = world;
        const dying = await world.worker({ FAULT_AT: point });
        const name = unique('customer');
        const operatorId = await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'free' });
        const key = { key: 'the same', fingerprint: Buffer.from('the same') };
        const call = { ...callOf(operatorId, 'openPortal'), idempotency: key };
        const life = await beginUnopened(
          context,
          (silent) => openPortal(silent, call),
          async () => lifeId.portal(String(await context.pool.oneFirst(sql.unsafe`select id from portal_sessions`))),
        );
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        assert.equal(await lives.client.workflow.getHandle(life).result(), 'open');
        assert.match((await openPortal(context, call)).body.url, /^http/);
        await assertOne(world);
      }),
    );
  }
});
