import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { endPostgres } from '../support/end-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { assertInvariants } from '../support/invariants.ts';
import { openMarket, type Market } from '../support/market.ts';
import { settingsBeside, startRole, type Role } from '../support/role.ts';

/** Sellers and buyers that trade side by side, without a pause. */
const CALLERS = 24;
/** As long as each goes on: together they begin far more than one machine's Temporal carries meanwhile. */
const SECONDS = 60;

const Count = z.object({ count: z.number() });

describe('A load that Temporal cannot carry, with kill -9 of everything in it', function () {
  this.timeout(1_800_000);
  let instance: Instance;
  let market: Market;
  let pool: DatabasePool;
  let api: Role;
  let worker: Role;

  before(async () => {
    instance = await startInstance({ env: { RUN_FOR_EVERY_LIFE: 'false' } });
    market = await openMarket({ ...instance, adminKey: instance.credentials.admin_api_key }, { cents: 1_000_000 });
    pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
    const settings = { ...(await settingsBeside(instance)), RUN_FOR_EVERY_LIFE: 'false' };
    [api, worker] = await Promise.all([startRole('api', settings), startRole('worker', settings)]);
  });
  after(async () => {
    await Promise.all([api?.stop(), worker?.stop()]);
    await pool?.end();
    await instance.stop();
    await removeDataDir(instance.dataDir);
  });

  const count = (query: ReturnType<typeof sql.fragment>) =>
    pool.oneFirst(sql.type(Count)`select count(*)::int from ${query}`);

  it('leaves nothing lost, doubled, held or late, and no backlog', async () => {
    const ids: string[] = [];
    let isOver = false;
    /** A client that tries again what is answered with 5xx, or with nothing within a minute. */
    const insisting = async <T>(call: () => Promise<{ status: number; body: T }>): Promise<T> => {
      for (;;) {
        const reply = await Promise.race([call().catch(() => undefined), pause(60_000)]);
        if (reply !== undefined && reply.status < 500) {
          assert(reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`);
          return reply.body;
        }
        await pause(200);
      }
    };
    const trade = async (nth: number): Promise<void> => {
      const here = () => (nth % 2 === 0 ? market : market.at(api.baseUrl));
      for (let chain = 0; !isOver; chain += 1) {
        const { id } = await insisting<{ id: string }>(() =>
          here().consumer.post(
            `/v1/skills/${market.skillId}/invoke`,
            // Every tenth nobody works on: its deadline ends it.
            { input: { text: 'flood' }, ttl_seconds: 120 },
            { 'idempotency-key': `flood-${nth}-${chain}` },
          ),
        );
        ids.push(id);
        if (chain % 10 === 0) continue;
        await insisting(() => here().act(id, 'claim', { 'idempotency-key': `claim-${id}` }));
        await insisting(() => here().act(id, 'complete', { 'idempotency-key': `complete-${id}` }));
      }
    };
    const temporal = async (): Promise<number> =>
      Number.parseInt(await readFile(join(instance.dataDir, 'temporal/server.pid'), 'utf8'), 10);
    const kill = async (): Promise<void> => {
      const settings = { ...(await settingsBeside(instance)), RUN_FOR_EVERY_LIFE: 'false' };
      for (let round = 0; !isOver; round += 1) {
        await pause(2_000);
        if (round % 4 === 0) {
          process.kill(worker.pid, 'SIGKILL');
          worker = await startRole('worker', settings);
        } else if (round % 4 === 1) {
          process.kill(await temporal(), 'SIGKILL');
        } else if (round % 4 === 2) {
          await endPostgres(instance.dataDir);
        } else {
          process.kill(api.pid, 'SIGKILL');
          // At another port: after some deaths of a server, `fetch` has a pool for its address that never connects again.
          api = await startRole('api', settings);
        }
      }
    };
    const everything = Promise.all([kill(), ...Array.from({ length: CALLERS }, (_, nth) => trade(nth))]);
    await Promise.race([everything, pause(SECONDS * 1_000)]);
    isOver = true;
    await everything;

    assert.equal(new Set(ids).size, ids.length, 'no two keys made one invocation');
    assert.equal(
      await count(sql.fragment`invocations where skill_id = ${market.skillId}`),
      ids.length,
      'no key made two',
    );
    const open = sql.fragment`invocations where id = any(${sql.array(ids, 'text')}) and status in ('pending', 'processing')`;
    await eventually('each to have ended, by its deadline at the latest', async () => (await count(open)) === 0, {
      seconds: 300,
    });
    await eventually(
      'no life of them to be left',
      async () =>
        (await count(
          sql.fragment`lives l join invocations i on l.life = 'invocation:' || i.id where i.id = any(${sql.array(ids, 'text')})`,
        )) === 0,
      { seconds: 600 },
    );
    assert.equal(
      await count(sql.fragment`invocations where id = any(${sql.array(ids, 'text')}) and not followed_up`),
      0,
    );
    await assertInvariants(pool, ids);
  });
});
