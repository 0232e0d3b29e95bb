import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openPool, type DatabasePool } from '../../src/database/pool.ts';
import { emptyDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { openMarket } from '../support/market.ts';
import { registerNamespace } from '../support/namespace.ts';
import { startProgram } from '../support/process.ts';
import { startRole } from '../support/role.ts';
import { assertStatus, requester, service } from '../support/service.ts';

describe('src/api.ts and src/worker.ts', function () {
  this.timeout(600_000);
  let database: EmptyDatabase;
  let settings: Record<string, string>;
  let pool: DatabasePool;
  let lives: Lives;

  before(async () => {
    database = await emptyDatabase();
    const temporal = {
      temporal_address: service().credentials.temporal_address,
      temporal_namespace: `roles-${randomBytes(5).toString('hex')}`,
    };
    settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.temporal_address,
      TEMPORAL_NAMESPACE: temporal.temporal_namespace,
      PLATFORM_ADMIN_KEY: randomBytes(18).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOCAL_PROVIDERS: 'true',
    };
    await registerNamespace(temporal.temporal_address, temporal.temporal_namespace);
    pool = await openPool(database.url, { size: 2, applicationName: 'carnet-test' });
    lives = livesOf(temporal);
  });
  after(async () => {
    await lives.close();
    await pool.end();
    await database.drop();
  });

  const migrate = async (): Promise<{ code: number | string; printed: string }> => {
    const step = startProgram('src/database/migrate.ts', { DATABASE_URL: database.url });
    return { code: await step.ended, printed: step.output() };
  };

  for (const role of ['api', 'worker'] as const) {
    it(`${role}.ts names every setting that is missing, and starts nothing`, async () => {
      const refused = startProgram(`src/${role}.ts`, {
        DATABASE_URL: '',
        TEMPORAL_ADDRESS: '',
        PLATFORM_ADMIN_KEY: '',
        ENCRYPTION_KEY: '',
        SMTP_URL: '',
        MAIL_FROM: '',
        LOCAL_PROVIDERS: '',
        PUBLIC_BASE_URL: '',
      });
      assert.equal(await refused.ended, 1);
      for (const name of [
        'DATABASE_URL',
        'TEMPORAL_ADDRESS',
        'PLATFORM_ADMIN_KEY',
        'ENCRYPTION_KEY',
        'SMTP_URL',
        'MAIL_FROM',
        'PUBLIC_BASE_URL',
      ])
        assert.match(refused.output(), new RegExp(`^ +${name} is needed, `, 'm'));
      assert.doesNotMatch(refused.output(), / at .*\.ts:/, 'a fault of the person is no stack');
      const { ENCRYPTION_KEY: _without, ...others } = settings;
      const almost = startProgram(`src/${role}.ts`, {
        ...others,
        PUBLIC_BASE_URL: 'https://carnet.example',
        ENCRYPTION_KEY: '',
      });
      assert.equal(await almost.ended, 1);
      assert.match(almost.output().trim(), /^carnet: Settings are missing: ENCRYPTION_KEY is needed, [^\n]*\.$/);
    });
  }

  it('play the story between them, after the migration as a step of its own; each ends on SIGTERM with 0', async () => {
    assert.match((await migrate()).printed, /^Applied 0001-shared\.sql, /);
    assert.deepEqual(await migrate(), { code: 0, printed: 'The schema is up to date.\n' });

    const api = await startRole('api', settings);
    const market = await openMarket({
      baseUrl: api.baseUrl,
      databaseUrl: settings.DATABASE_URL ?? '',
      adminKey: settings.PLATFORM_ADMIN_KEY ?? '',
    });
    const done = await market.pending();
    assertStatus(await market.act(done, 'claim'), 200);
    assertStatus(await market.act(done, 'complete'), 200);
    const open = await market.pending();
    const readiness = async () => (await requester(null, api.baseUrl).get('/readyz')).body;
    await eventually('/readyz to say that Temporal answers', async () => (await readiness()).temporal === 'ok');
    assert.equal((await readiness()).worker, 'none', 'nobody looks after what is due later');

    const worker = await startRole('worker', settings);
    const ofWorker = requester(null, worker.baseUrl);
    assert.equal((await ofWorker.get('/livez')).status, 200);
    await eventually('the worker to be ready', async () => (await ofWorker.get('/readyz')).status === 200);
    await eventually('/readyz of the API to show it', async () => (await readiness()).worker === 'ok');
    await settled(pool, [done, open]);
    await eventually('what the SDK counts beside what the worker counts', async () => {
      const { text } = await ofWorker.get('/metrics');
      return /^temporal_\w+/m.test(text) && /^process_cpu_seconds_total /m.test(text);
    });
    assert.equal((await ofWorker.get('/v1/agents')).status, 404, 'it serves no calls');
    await lives.closed([done]);
    await lives.client.workflow.getHandle(`invocation:${open}`).signal('cancel');
    await eventually('the cancellation', async () => (await market.show(open)).status === 'failed');
    await lives.closed([open]);
    await assertInvariants(pool, [done, open]);
    assert.equal((await market.balance()).balance_cents, 10_000 - market.price);

    const draining = await startRole('api', { ...settings, DRAIN_SECONDS: '3' });
    const anonymous = requester(null, draining.baseUrl);
    assertStatus(await anonymous.get('/readyz'), 200);
    const drained = draining.stop();
    await eventually('/readyz to say that it stops', async () => (await anonymous.get('/readyz')).status === 503);
    assert.equal((await anonymous.get('/readyz')).body.status, 'stopping');
    assert.equal((await anonymous.get('/livez')).status, 200);
    const served = await requester(settings.PLATFORM_ADMIN_KEY ?? '', draining.baseUrl).get('/v1/audit-events');
    assertStatus(served, 200);
    assert.equal(served.headers.get('connection'), 'close');

    assert.deepEqual(await Promise.all([api.stop(), worker.stop(), drained]), [0, 0, 0]);
    for (const { output } of [api, worker, draining]) assert.doesNotMatch(output(), /"level":"(error|fatal)"/);
  });
});
