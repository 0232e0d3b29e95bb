import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { assertStatus, requester } from '../support/service.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { callUntilKilled, freeKeys, operatorAt } from './answering-world.ts';
import { pointsOfStep, pointsOfWaitingCommand } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const PATH = '/v1/billing/portal';

describe('kill -9 while a portal is opened', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const assertOne = async ({ context: { pool }, lives }: World): Promise<void> => {
    assert.equal(await pool.oneFirst(sql.unsafe`select count(*)::int from local_portals`), 1);
    const id = await pool.oneFirst(sql.unsafe`select id from portal_sessions`);
    await lives.client.workflow.getHandle(lifeId.portal(String(id))).result();
    assert.deepEqual(await pool.one(sql.unsafe`select status, url from portal_sessions`), {
      status: 'answered',
      url: null,
    });
  };

  for (const point of pointsOfWaitingCommand('openPortal')) {
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

  for (const point of [...pointsOfStep('advancePortal'), ...pointsOfStep('openPortalPage')]) {
    itBeside(`at ${point}, of the worker: the next one opens the one page`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api'), world.worker({ FAULT_AT: point })]);
        const { key } = await operatorAt(world, api.baseUrl);
        const headers = { 'idempotency-key': randomUUID() };
        const answered = untilAnswered(() => requester(key, api.baseUrl).post(PATH, undefined, headers), 300); // a worker is yet to start
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        assert.equal(typeof assertStatus(await answered, 200).url, 'string');
        await assertOne(world);
      }),
    );
  }
});
