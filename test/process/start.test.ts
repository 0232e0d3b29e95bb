import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { processesNaming } from '../embedded/support.ts';
import { casesOf, itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance, type InstanceFacts } from '../support/instance.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf } from '../support/lives.ts';
import { openMarket, type Market } from '../support/market.ts';
import { startProgram } from '../support/process.ts';
import { assertStatus, requester, service } from '../support/service.ts';

const marketOf = ({ baseUrl, databaseUrl, credentials }: InstanceFacts, cents?: number): Promise<Market> =>
  openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key }, { cents });

async function query<T>(instance: InstanceFacts, work: (pool: DatabasePool) => Promise<T>): Promise<T> {
  const pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

describe('npm start', function () {
  this.timeout(600_000);
  let one: Instance;

  before(async () => {
    one = await startInstance();
  });
  after(async () => {
    await one.stop();
    await removeDataDir(one.dataDir);
  });

  describe('is refused in one sentence that says what to do', () => {
    const refusals: [string, () => Record<string, string>, ...RegExp[]][] = [
      [
        'on a data directory that is in use',
        () => ({ DATA_DIR: one.dataDir, PORT: '0' }),
        /already runs/,
        /DATA_DIR/,
        /process \d+, at http/,
      ],
      ['on a port that is in use', () => ({ PORT: new URL(one.baseUrl).port }), /Port \d+ is in use/, /set PORT/],
      ['with a setting out of range', () => ({ PORT: '70000' }), /PORT/, /from 0 to 65535/, /70000/],
      [
        'with a setting that is none',
        () => ({ PORT: '0', INVOCATION_TTL_SECONDS: '1e3' }),
        /INVOCATION_TTL_SECONDS/,
        /whole number from 60 to 604800/,
      ],
      [
        'with workflow code that is not there',
        () => ({ PORT: '0', WORKFLOW_BUNDLE: '/nowhere/bundle.js' }),
        /WORKFLOW_BUNDLE/,
        /scripts\/bundle-workflows\.ts/,
      ],
      [
        'with a secret that is too short, which is not shown',
        () => ({ PORT: '0', PLATFORM_ADMIN_KEY: 'guess-me' }),
        /PLATFORM_ADMIN_KEY/,
        /24 characters/,
        /^((?!guess-me).)*$/,
      ],
      [
        'where the system takes no folders',
        () => ({ PORT: '0', DATA_DIR: '/proc/carnet' }),
        /can't be made/,
        /DATA_DIR/,
      ],
      [
        'where no folder can be made',
        () => ({ PORT: '0', DATA_DIR: join(one.dataDir, 'running.json', 'below') }),
        /can't be made/,
        /DATA_DIR/,
      ],
    ];
    // Each costs a start: `npm test` tries one of each source of a fault.
    for (const [when, env, ...patterns] of casesOf(
      refusals,
      ([what]) => what === 'on a data directory that is in use' || what === 'with a setting out of range',
    )) {
      it(when, async () => {
        const spare = await newDataDir();
        const refused = startProgram('src/main.ts', { DATA_DIR: spare, LOG_LEVEL: 'warn', ...env() });
        assert.equal(await refused.ended, 1, refused.output());
        const sentence = refused.output().trimEnd();
        assert.match(sentence, /^carnet: [A-Z][^\n]*\.$/);
        for (const pattern of patterns) assert.match(sentence, pattern);
        assert.deepEqual(processesNaming(spare), []);
        await removeDataDir(spare);
      });
    }
  });

  it('runs beside another instance, each with its own people, money and lives', async () => {
    const other = service();
    const worked = await Promise.all(
      [one, other].map(async (instance) => {
        const market = await marketOf(instance, 100);
        const id = await market.pending();
        assertStatus(await market.act(id, 'claim'), 200);
        assertStatus(await market.act(id, 'complete'), 200);
        assert.deepEqual(await market.balance().then(({ balance_cents: balance }) => balance), 93);
        const lives = livesOf(instance.credentials);
        await lives.closed([id]);
        await lives.close();
        await query(instance, (pool) => assertInvariants(pool, [id]));
        return { id, market };
      }),
    );
    const [mine, theirs] = worked;
    assert(mine !== undefined && theirs !== undefined);
    const stranger = await mine.market.at(other.baseUrl).consumer.get(`/v1/skills/invocations/${mine.id}`);
    assert.equal(stranger.status, 401, 'a key of one is nobody at the other');
  });

  it('listens on this machine alone', async function () {
    if (process.platform !== 'linux') this.skip(); // elsewhere 127.0.0.2 is no address of this machine
    const { port } = new URL(one.baseUrl);
    assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
    await assert.rejects(fetch(`http://127.0.0.2:${port}/livez`), 'a listener on every interface would answer');
  });

  it('says at its start where API, documents, doors for agents, dashboard, Temporal and its UI are', () => {
    const { base_url: base, temporal_address: temporal, temporal_ui_url: ui } = one.credentials;
    const rows = new Map(
      stripVTControlCharacters(one.output())
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/) as [string, string]),
    );
    assert.equal(rows.get('API'), base);
    assert.equal(rows.get('API docs'), `${base}/docs`);
    assert.equal(rows.get('MCP'), `${base}/mcp`);
    assert.equal(rows.get('For agents'), `${base}/AGENTS.md`);
    assert.equal(rows.get('Dashboard'), `${base}/dashboard`);
    for (const who of ['publisher', 'consumer'])
      assert.match(rows.get(`As ${who}`) ?? '', /\/dashboard\/sign-in\/demo\?token=[\w-]{43} \(once/);
    assert.equal(rows.get('Temporal'), temporal);
    assert.equal(rows.get('Temporal UI'), ui);
  });

  it('warns of nothing that is as it should be', () => {
    assert.match(one.output(), /Carnet is ready/);
    assert.doesNotMatch(one.output(), /not polling for workflow tasks/);
  });

  it('writes credentials.json whole, for its owner alone', async () => {
    const { mode } = await stat(join(one.dataDir, 'credentials.json'));
    assert.equal(mode & 0o777, 0o600);
    assert.deepEqual(Object.keys(one.credentials).toSorted(), [
      'admin_api_key',
      'agent_id',
      'api_key',
      'base_url',
      'consumer_api_key',
      'consumer_operator_id',
      'dashboard_url',
      'email',
      'operator_id',
      'payment_webhook_secret',
      'platform_email',
      'service_connection_id',
      'temporal_address',
      'temporal_namespace',
      'temporal_ui_url',
    ]);
    const { api_key: publisher, consumer_api_key: consumer, admin_api_key: admin, agent_id: agentId } = one.credentials;
    const as = (key: string) => requester(key, one.baseUrl);
    assert.equal(assertStatus(await as(publisher).get(`/v1/agents/${agentId}`), 200).id, agentId);
    assert.equal(assertStatus(await as(consumer).get('/v1/billing/balance'), 200).balance_cents, 1_000);
    assert.equal((await as(admin).post('/v1/operators', {})).status, 400, 'the platform may, but says what is missing');
    for (const page of ['/docs', '/dashboard']) assert.equal((await fetch(`${one.baseUrl}${page}`)).status, 200);
    assert.match(one.output(), new RegExp(`${one.dataDir}/credentials.json`));
  });

  it('SIGTERM under load answers what is under way, loses nothing that was answered, and leaves no process', async () => {
    const market = await marketOf(one, 100_000);
    const waitedFor = await market.pending();
    const waiting = market.consumer.get<{ status: string }>(`/v1/skills/invocations/${waitedFor}`, {
      prefer: 'wait=30',
    });
    const answered: string[] = [];
    let stopped = false;
    const caller = async (): Promise<void> => {
      while (!stopped) {
        const reply = await market.invoke({}, { 'idempotency-key': randomUUID() }).catch((error: unknown) => {
          assert(stopped, `a call was dropped before the stop: ${String(error)}`);
        });
        if (reply !== undefined) answered.push(assertStatus(reply, 201).id);
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    await eventually('the load', () => answered.length > 50);
    const stopping = one.stop();
    stopped = true;
    assert.equal((await waiting).body.status, 'pending', 'who waits is answered with what there is');
    await Promise.all(callers);
    assert.equal(await stopping, 0);
    assert.deepEqual(processesNaming(one.dataDir), []);

    // The seed is made again from what the database has: nobody twice, no credit twice, no key lost.
    const before = one.credentials;
    await rm(join(one.dataDir, 'credentials.json'));
    one = await startInstance({ dataDir: one.dataDir });
    const rows = await query(one, (pool) =>
      pool.anyFirst(sql.unsafe`select id from invocations where consumer_operator_id = ${market.consumerId}`),
    );
    const kept = new Set(rows.map(String));
    for (const id of answered) assert(kept.has(id), `${id} was answered and is missing`);
    const after = one.credentials;
    assert.deepEqual(
      [after.operator_id, after.consumer_operator_id, after.agent_id, after.service_connection_id],
      [before.operator_id, before.consumer_operator_id, before.agent_id, before.service_connection_id],
    );
    for (const key of [before.consumer_api_key, after.consumer_api_key]) {
      assert.equal(
        assertStatus(await requester(key, one.baseUrl).get('/v1/billing/balance'), 200).balance_cents,
        1_000,
      );
    }
    await query(one, (pool) => assertInvariants(pool, [...kept]));
  });

  itInFull('kill -9 leaves no process behind, and the next start has rows, keys and runs', async () => {
    const market = await marketOf(one, 100);
    const open = await market.pending();
    const lives = livesOf(one.credentials);
    await query(one, (pool) => settled(pool, [open]));
    const { runId } = await lives.client.workflow.getHandle(`invocation:${open}`).describe();
    await lives.close();
    await one.kill();
    await eventually('no process to be left', () => processesNaming(one.dataDir).length === 0);

    const before = one.credentials;
    one = await startInstance({ dataDir: one.dataDir });
    assert.deepEqual(
      { ...one.credentials, base_url: '', dashboard_url: '', temporal_address: '', temporal_ui_url: '' },
      { ...before, base_url: '', dashboard_url: '', temporal_address: '', temporal_ui_url: '' },
    );
    const again = market.at(one.baseUrl);
    assertStatus(await again.act(open, 'claim'), 200);
    assertStatus(await again.act(open, 'complete'), 200);
    const after = livesOf(one.credentials);
    await after.closed([open]);
    assert.equal(
      (await after.client.workflow.getHandle(`invocation:${open}`).describe()).runId,
      runId,
      'the same run has gone on',
    );
    await after.close();
    await query(one, (pool) => assertInvariants(pool, [open]));
  });

  it('keeps its running facts to its owner', async () => {
    assert.equal((await stat(join(one.dataDir, 'running.json'))).mode & 0o777, 0o600);
    const running = JSON.parse(await readFile(join(one.dataDir, 'running.json'), 'utf8')) as Record<string, unknown>;
    assert.equal(running.pid, one.pid);
  });
});
