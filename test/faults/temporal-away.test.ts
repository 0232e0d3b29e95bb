import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/factories.ts';
import { removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { payLocally } from '../support/local-payments.ts';
import { openMarket, type Market } from '../support/market.ts';
import { assertStatus, requester } from '../support/service.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { makeDue } from '../support/due-lives.ts';

describe('Temporal away', function () {
  this.timeout(600_000);
  let instance: Instance;
  let market: Market;
  let pool: DatabasePool;
  let lives: Lives;

  before(async () => {
    instance = await startInstance();
    market = await openMarket({ ...instance, adminKey: instance.credentials.admin_api_key });
    pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
    lives = livesOf(instance.credentials);
  });
  after(async () => {
    await lives.close();
    await pool.end();
    await instance.stop();
    await removeDataDir(instance.dataDir);
  });

  const server = async (): Promise<number> =>
    Number.parseInt(await readFile(join(instance.dataDir, 'temporal/server.pid'), 'utf8'), 10);
  const readiness = () => requester(null, instance.baseUrl).get('/readyz');
  const temporalIs = (how: 'ok' | 'degraded') =>
    eventually(`/readyz to show ${how}`, async () => (await readiness()).body.temporal === how);

  /**
   * Everything that a market does, with the usual answers.
   * @returns invocations ended in every way, and one still open.
   */
  const trade = async (): Promise<{ ended: string[]; open: string }> => {
    assertStatus(
      await market.provider.post('/v1/skills', {
        name: `published-meanwhile-${Date.now()}`,
        description: 'Published while Temporal is away',
        version: '1.0.0',
        input_schema: { type: 'object' },
        output_schema: { type: 'object' },
        trust_level_required: 'L0',
      }),
      201,
    );
    const [completed, failed, cancelled, open] = [
      await market.pending(),
      await market.pending(),
      await market.pending(),
      await market.pending(),
    ];
    for (const id of [completed, failed])
      assert.equal(assertStatus(await market.act(id, 'claim'), 200).status, 'processing');
    const waiting = market.consumer.get<{ status: string }>(`/v1/skills/invocations/${completed}`, {
      prefer: 'wait=20',
    });
    assert.equal(assertStatus(await market.act(completed, 'complete'), 200).status, 'completed');
    assert.equal((await waiting).body.status, 'completed', 'who waits for a row does not wait for Temporal');
    assert.equal(assertStatus(await market.act(failed, 'fail'), 200).status, 'failed');
    assert.equal(assertStatus(await market.act(cancelled, 'cancel'), 200).status, 'failed');
    return { ended: [completed, failed, cancelled], open };
  };

  /** Opens every page of the payment provider, and pays one of them. */
  const payAtPages = async (): Promise<void> => {
    const name = unique('payer');
    const made = await requester(instance.credentials.admin_api_key, instance.baseUrl).post<{ api_key: string }>(
      '/v1/operators',
      { name, email: `${name}@example.test` },
    );
    const payer = requester(assertStatus(made, 201).api_key, instance.baseUrl);
    const pageOf = async (path: string, body?: unknown): Promise<string> => {
      const { checkout_url: checkout, url } = assertStatus(
        await payer.post<{ checkout_url?: string; url?: string }>(`/v1/billing/${path}`, body),
        200,
      );
      return checkout ?? url ?? '';
    };
    await payLocally(await pageOf('topup', { amount_cents: 1_000 }));
    await eventually(
      'the credit',
      async () => (await payer.get<{ balance_cents: number }>('/v1/billing/balance')).body.balance_cents === 1_000,
    );
    const subscribing = await pageOf('subscribe', { tier: 'pro' });
    assert.match(subscribing, /^http/);
    assert.equal(await pageOf('subscription/change/checkout'), subscribing);
    assert.match(await pageOf('portal'), /^http/);
  };

  /** Asserts that all of it has reached Temporal, and that the open invocation can still end. */
  const assertCaughtUp = async (ended: string[], open: string): Promise<void> => {
    await settled(pool, [...ended, open]);
    await lives.closed(ended);
    assertStatus(await market.act(open, 'claim'), 200);
    assertStatus(await market.act(open, 'complete'), 200);
    await settled(pool, [open]);
    await lives.closed([open]);
    await eventually(
      'no message to be left',
      async () => (await pool.oneFirst(sql.unsafe`select count(*)::int from lives where epoch is null`)) === 0,
      { seconds: 120 },
    );
    await assertInvariants(pool, [...ended, open]);
  };

  it('a server that hangs: commands are answered, what is overdue expires, and everything catches up', async () => {
    const overdue = await market.pending();
    await settled(pool, [overdue]);
    const { balance_cents: before } = await market.balance();
    const pid = await server();
    process.kill(pid, 'SIGSTOP');
    try {
      await temporalIs('degraded');
      assert.equal((await readiness()).status, 200);
      const { ended, open } = await trade();
      await payAtPages();

      // Its timer is in Temporal. A look without a run ends what is a second past its deadline.
      await pool.query(
        sql.unsafe`update invocations set expires_at = clock_timestamp() - interval '1 second' where id = ${overdue}`,
      );
      await makeDue(pool, lifeId.invocation(overdue));
      await eventually(
        'the overdue invocation to expire',
        async () => (await market.show(overdue)).status === 'expired',
      );
      const { balance_cents: balance, held_cents: held } = await market.balance();
      assert.deepEqual(
        { balance, held },
        { balance: before - market.price, held: market.price },
        'only the open one is held, only the completed one is paid',
      );

      process.kill(pid, 'SIGCONT');
      await assertCaughtUp([...ended, overdue], open);
      await temporalIs('ok');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  itInFull('a server that is killed: it is started again, and everything catches up', async () => {
    const before = await market.pending();
    await settled(pool, [before]);
    process.kill(await server(), 'SIGKILL');
    const { ended, open } = await trade();
    assertStatus(await market.act(before, 'cancel'), 200);
    await assertCaughtUp([...ended, before], open);
    await temporalIs('ok');
  });
});
