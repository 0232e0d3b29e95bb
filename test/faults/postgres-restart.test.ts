import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openPool, sql } from '../../src/database/pool.ts';
import { roundsOf } from '../support/cases.ts';
import { endPostgres, freezePostgres } from '../support/end-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { assertInvariants } from '../support/invariants.ts';
import { openMarket, type Market } from '../support/market.ts';
import { assertProblem, assertStatus, requester, type Reply } from '../support/service.ts';

/** How often Postgres is killed, each time in the middle of the load. */
const ROUNDS = roundsOf(4, 2);
const CALLERS = 6;
/** Answers between two kills. */
const ANSWERS = 30;

describe('Postgres ends immediately, and starts again', function () {
  this.timeout(600_000);
  let instance: Instance;
  let market: Market;

  before(async () => {
    instance = await startInstance();
    market = await openMarket({ ...instance, adminKey: instance.credentials.admin_api_key }, { cents: 1_000_000 });
  });
  after(async () => {
    await instance.stop();
    await removeDataDir(instance.dataDir);
  });

  it('keeps every write that was answered, and answers 503 meanwhile, never 500', async () => {
    const keys: string[] = [];
    const answered = new Map<string, string>();
    const refused: Reply[] = [];
    let working = true;

    /** Calls until the end; a call without an answer is sent again with its key, as a client would. */
    const caller = async (): Promise<void> => {
      while (working) {
        const key = randomUUID();
        keys.push(key);
        for (;;) {
          const reply = await market.invoke({}, { 'idempotency-key': key });
          if (reply.status === 201) {
            answered.set(key, reply.body.id);
            break;
          }
          refused.push(reply as unknown as Reply);
          if (![409, 503].includes(reply.status)) working = false;
          if (!working) break;
        }
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    const moreAnswers = async (): Promise<void> => {
      const before = answered.size;
      await eventually('answers', () => !working || answered.size >= before + ANSWERS, { seconds: 60 });
    };

    for (let round = 0; round < ROUNDS && working; round += 1) {
      await moreAnswers();
      if (working) await endPostgres(instance.dataDir);
    }
    await moreAnswers();
    working = false;
    await Promise.all(callers);
    await eventually(
      '/readyz to be well',
      async () => (await requester(null, instance.baseUrl).get('/readyz')).status === 200,
    );

    const pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
    try {
      const rows = await pool.anyFirst(
        sql.unsafe`select id from invocations where consumer_operator_id = ${market.consumerId}`,
      );
      const ids = new Set(rows.map(String));
      for (const id of answered.values()) assert(ids.has(id), `${id} was answered and is missing`);
      assert.equal(new Set(answered.values()).size, answered.size, 'every key is one invocation');
      assert(ids.size <= keys.length, 'no key has made two');
      await assertInvariants(pool, [...ids]);
      assert.equal((await market.balance()).held_cents, ids.size * market.price);
    } finally {
      await pool.end();
    }

    assert(refused.length > 0, 'the load has met the ends');
    for (const reply of refused) {
      assert([409, 503].includes(reply.status), `${reply.status} ${reply.text}`);
      assertProblem(reply, reply.status === 503 ? 'TEMPORARILY_UNAVAILABLE' : 'IDEMPOTENCY_IN_FLIGHT');
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    }
  });

  it('answers /livez but not /readyz meanwhile, and waiting callers are notified again afterwards', async () => {
    const id = await market.pending();
    const as = requester(null, instance.baseUrl);
    const end = await freezePostgres(instance.dataDir); // once killed it may be back before anybody has looked
    assert.equal((await as.get('/livez')).status, 200);
    const seen = await eventually('/readyz to have noticed', async () => {
      const reply = await as.get('/readyz');
      return reply.status === 503 && reply;
    });
    assert.deepEqual(seen.body.database, 'unreachable');
    end();
    await eventually('/readyz to be well', async () => (await as.get('/readyz')).status === 200);
    const waiting = market.consumer.get<{ status: string }>(`/v1/skills/invocations/${id}`, { prefer: 'wait=20' });
    await eventually('the claim', async () => (await market.act(id, 'claim')).status === 200);
    assertStatus(await market.act(id, 'complete'), 200);
    assert.equal((await waiting).body.status, 'completed');
  });
});
