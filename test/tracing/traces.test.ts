import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../src/context/encryption.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { newDestination, newRule, type TestDestination } from '../notifications/support/destinations.ts';
import { startReceiver, type Receiver } from '../notifications/support/receiver.ts';
import { migratedDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { openMarket, type Market } from '../support/market.ts';
import { registerNamespace } from '../support/namespace.ts';
import { startRole, type Role } from '../support/role.ts';
import { assertStatus, service } from '../support/service.ts';
import { startCollector, type Collector, type ExportedSpan } from './collector.ts';

const COLLECTOR_KEY = 'a-key-of-the-collector';
const INPUT = 'a-text-that-no-trace-may-hold';

/** A caller's trace, whose flag says that it is not exported there. */
const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-00` } };
};

function chainsOf(spans: ExportedSpan[], names: string[]): ExportedSpan[][] {
  let chains: ExportedSpan[][] = spans.filter(({ name }) => name === names[0]).map((span) => [span]);
  for (const name of names.slice(1))
    chains = chains.flatMap((chain) =>
      spans
        .filter((span) => span.name === name && span.parentSpanId === chain.at(-1)?.spanId)
        .map((span) => [...chain, span]),
    );
  return chains;
}

describe('Traces, with an API and a worker', function () {
  this.timeout(600_000);
  let database: EmptyDatabase;
  let pool: DatabasePool;
  let collector: Collector;
  let receiver: Receiver;
  let roles: [api: Role, worker: Role];
  let market: Market;
  let destination: TestDestination;
  const secrets: string[] = [COLLECTOR_KEY, INPUT];

  before(async () => {
    [database, collector, receiver] = await Promise.all([migratedDatabase(), startCollector(), startReceiver()]);
    pool = await openPool(database.url, { size: 2, applicationName: 'carnet-test' });
    const namespace = `traces-${randomBytes(5).toString('hex')}`;
    const { temporal_address: address } = service().credentials;
    await registerNamespace(address, namespace);
    const [adminKey, encryptionKey] = [randomBytes(18).toString('hex'), randomBytes(32)];
    const settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PLATFORM_ADMIN_KEY: adminKey,
      ENCRYPTION_KEY: encryptionKey.toString('base64'),
      LOCAL_PROVIDERS: 'true',
      OUTBOUND_ALLOW_LOOPBACK: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(COLLECTOR_KEY)}`,
      LOG_LEVEL: 'debug',
    };
    roles = await Promise.all([startRole('api', settings), startRole('worker', settings)]);
    market = await openMarket({ baseUrl: roles[0].baseUrl, databaseUrl: database.url, adminKey });
    await run(pool, sql.fragment`update operators set tier = 'enterprise' where id = ${market.consumerId}`);
    const context = { pool, encryption: createEncryption([encryptionKey]) };
    destination = await newDestination(context, { operatorId: market.consumerId, destination: receiver.url });
    await newRule(context, { destinations: [destination], events: ['invocation.completed'] });
    secrets.push(adminKey, market.consumer.key ?? '', market.provider.key ?? '', destination.secret, receiver.url);
  });
  after(async () => {
    await Promise.all(roles.map((role) => role.stop()));
    await Promise.all([collector.stop(), receiver.stop(), pool.end()]);
    await database.drop();
  });

  /**
   * Waits for spans of these names of which each is the parent of the next. A life that is woken twice has two spans of one name, and
   * the second wake-up may be the one that its step follows.
   */
  const chain = (traceId: string, ...names: string[]): Promise<ExportedSpan[]> =>
    eventually(`the chain ${names.join(', ')}`, () => chainsOf(collector.spansOf(traceId), names)[0] ?? false, {
      seconds: 300,
    }).catch((error: unknown) => {
      const had = collector.spansOf(traceId).map((span) => `${span.spanId} ${span.name} in ${span.parentSpanId}`);
      throw new Error(`There are ${had.join(', ')}.`, { cause: error });
    });

  it('lead from a request over its command and the life of a destination to the receiver', async () => {
    const invoked = assertStatus(await market.invoke({ input: { text: INPUT } }), 201);
    assertStatus(await market.act(invoked.id, 'claim'), 200);
    const { traceId, headers } = newTrace();
    assertStatus(await market.act(invoked.id, 'complete', headers), 200);
    const wake = ['completeInvocation', 'command completeInvocation', 'wake life'];
    const [request] = await chain(traceId, ...wake, 'step advanceNotification');
    assert(request);
    assert.equal(request.parentSpanId, headers.traceparent.split('-')[2]);
    const [delivery, post] = (await chain(traceId, ...wake, 'step sendNotifications', 'delivery', 'POST')).slice(-2);
    assert(delivery && post);
    const sent = receiver.calls.find((call) => call.headers.traceparent?.includes(traceId));
    assert.equal(sent?.headers.traceparent, `00-${traceId}-${post.spanId}-01`);
    const named = Object.fromEntries(delivery.attributes.map(({ key, value }) => [key, value.stringValue]));
    assert.equal(named['carnet.destination_id'], destination.id);
    assert.equal(named['carnet.operator_id'], market.consumerId);
  });

  it('keep the calls that one life makes for several commands apart', async () => {
    const traces = await Promise.all(
      [newTrace(), newTrace(), undefined].map(async (trace) => {
        const invoked = assertStatus(await market.invoke({ input: { text: INPUT } }), 201);
        assertStatus(await market.act(invoked.id, 'claim'), 200);
        assertStatus(await market.act(invoked.id, 'complete', trace?.headers), 200);
        return trace?.traceId;
      }),
    );
    for (const traceId of traces) {
      if (traceId === undefined) continue;
      await chain(traceId, 'command completeInvocation');
      await chain(traceId, 'delivery', 'POST');
      const sent = receiver.calls.filter((call) => call.headers.traceparent?.includes(traceId));
      assert.equal(sent.length, 1);
    }
  });

  it('lead from a request to the payment provider that opens its page, and to the life of the top-up', async () => {
    const { traceId, headers } = newTrace();
    assertStatus(await market.consumer.post('/v1/billing/topup', { amount_cents: 1_000 }, headers), 200);
    await chain(traceId, 'createTopUp', 'command createTopUp', 'payments openTopUp');
    await chain(traceId, 'wake life', 'step advanceTopUp');
  });

  it('are named by the lines of the log of both processes', async () => {
    const { traceId, headers } = newTrace();
    assertStatus(await market.invoke({ input: { text: INPUT } }, headers), 201);
    const linesOf = (role: Role): string[] =>
      role
        .output()
        .split('\n')
        .filter((line) => line.includes(`"traceId":"${traceId}"`));
    await eventually('the line of the request', () => linesOf(roles[0]).some((line) => line.includes('invokeSkill')));
    await chain(traceId, 'step advanceInvocation');
  });

  it('begin with the request where it brings none', async () => {
    const before = collector.requests.length;
    assertStatus(await market.consumer.get('/v1/billing/balance'), 200);
    await eventually('its span', () =>
      collector.requests.slice(before).some(({ body }) => body.includes('"name":"getBalance"')),
    );
  });

  it('hold no secret and no text of anybody, and are no probes', () => {
    const exported = collector.requests.map(({ body }) => body).join('\n');
    assert(exported.includes(market.consumerId), 'they name who called');
    for (const secret of secrets) assert(!exported.includes(secret), secret);
    for (const word of [
      /bearer/i,
      /authorization/i,
      /svc_live_/,
      /whsec_/,
      /@example\.test/,
      /"name":"(readyz|livez|request)"/,
    ])
      assert.doesNotMatch(exported, word);
    for (const { headers } of collector.requests) assert.equal(headers['x-collector-key'], COLLECTOR_KEY);
  });
});
