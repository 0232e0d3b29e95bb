import assert from 'node:assert/strict';
import { openPayouts, readPaymentEvents, stuckMetrics } from '../../src/billing/index.ts';
import { askWitnesses } from '../../src/claims/index.ts';
import { scheduleMetrics } from '../../src/commands/schedules.ts';
import { sql } from '../../src/database/pool.ts';
import { mailMetrics } from '../../src/mail/index.ts';
import { rotateSigningKeysWhenDue } from '../../src/passports/index.ts';
import type { Context } from '../../src/context/context.ts';
import { purgeContents, type Place } from '../../src/retention/index.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { eventually } from '../support/eventually.ts';
import { openMarket } from '../support/market.ts';
import { anonymous, assertProblem, assertStatus, requester, service } from '../support/service.ts';

/** The value of each line, by name and labels. */
const valuesIn = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );

const scraped = async (): Promise<Map<string, number>> => valuesIn((await anonymous().get('/metrics')).text);

describe('GET /metrics', () => {
  it('counts refusals by their code, and answers that were replayed', async () => {
    const before = await scraped();
    assertProblem(await anonymous().get('/v1/unheard-of'), 'NOT_FOUND');
    const admin = requester(service().credentials.api_key);
    const headers = { 'idempotency-key': 'replayed for the metrics' };
    const body = { name: 'scraped' };
    assertStatus(await admin.post('/v1/agents', body, headers), 201);
    assertStatus(await admin.post('/v1/agents', body, headers), 201);
    const after = await scraped();
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    assert(grown('carnet_refusals_total{code="NOT_FOUND"}') >= 1);
    assert(grown('carnet_answers_replayed_total') >= 1);
  });

  it('shows who waits for a row', async () => {
    const { baseUrl, databaseUrl, credentials } = service();
    const market = await openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key });
    const id = await market.pending();
    const waiter = new AbortController();
    const url = `${baseUrl}/v1/skills/invocations/${id}`;
    const headers = { authorization: `Bearer ${market.consumer.key}`, prefer: 'wait=60' };
    const waiting = fetch(url, { headers, signal: waiter.signal }).catch(() => undefined);
    await eventually('the waiter to be counted', async () => ((await scraped()).get('carnet_waiters') ?? 0) > 0);
    waiter.abort();
    await waiting;
  });

  it('shows connections, who waits for one, and the build', async () => {
    const values = await scraped();
    for (const pool of ['api', 'worker', 'delivery'])
      for (const name of ['carnet_pool_connections_in_use', 'carnet_pool_waiting'])
        assert((values.get(`${name}{pool="${pool}"}`) ?? -1) >= 0, `${name} of ${pool}`);
    const build = [...values.keys()].find((name) => name.startsWith('carnet_build_info{')) ?? '';
    assert.match(build, /version="[\d.]+[^"]*",node="24\.[\d.]+",release="fn_[0-9a-f]{8}"/);
  });
});

describe('Metrics of rows', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('say when each schedule last did all of its work', async () => {
    const { context } = own;
    const payments = { ...context, payments: { readEvents: () => Promise.resolve({ events: [], after: null }) } };
    const began = Date.now() / 1_000 - 60;
    assert.deepEqual(valuesIn(await scheduleMetrics(context)), new Map());
    await rotateSigningKeysWhenDue(context);
    await openPayouts(context, { month: null, after: '' });
    await readPaymentEvents(payments as unknown as Context, null);
    await askWitnesses(context);
    for (let place: Place | null = { content: null, from: '' }; place !== null;)
      ({ next: place } = await purgeContents(context, place));
    const values = valuesIn(await scheduleMetrics(context));
    assert.deepEqual(
      [...values.keys()],
      ['key-rotation', 'log-witnessing', 'monthly-payouts', 'payment-events', 'retention'].map(
        (id) => `carnet_schedule_succeeded_time_seconds{schedule="${id}"}`,
      ),
    );
    for (const [name, at] of values) assert(at > began, `${name} ${at}`);
  });

  it('count mails that wait, and payouts and refunds that are stuck', async () => {
    const { pool } = own.context;
    await run(
      pool,
      sql.fragment`insert into mails (id, recipient, subject, text, status, expires_at, created_at) values
        ('msg_1', 'a@example.com', 's', 't', 'waiting', now() + interval '1 day', clock_timestamp() - interval '90 seconds'),
        ('msg_2', 'a@example.com', 's', 't', 'waiting', now() + interval '1 day', clock_timestamp()),
        ('msg_3', 'a@example.com', 's', 't', 'outbox', now() + interval '1 day', clock_timestamp())`,
    );
    const mails = valuesIn(await mailMetrics({ pool }));
    assert.equal(mails.get('carnet_mails_waiting'), 2);
    assert((mails.get('carnet_mails_oldest_seconds') ?? 0) >= 90);
    await run(
      pool,
      sql.fragment`insert into payouts (id, operator_id, month, gross_cents, commission_cents, status, account, created_at) values
        ('po_1', 'op_platform', '2020-01', 100, 10, 'due', null, now() - interval '2 days'),
        ('po_2', 'op_platform', '2020-02', 100, 10, 'transferring', 'acct_1', now() - interval '2 days'),
        ('po_3', 'op_platform', '2020-03', 100, 10, 'due', null, now()),
        ('po_4', 'op_platform', '2020-04', 100, 10, 'rolled_over', null, now() - interval '2 days')`,
    );
    assert.deepEqual(
      valuesIn(await stuckMetrics({ pool })),
      new Map([
        ['carnet_payouts_stuck', 2],
        ['carnet_refunds_stuck', 0],
      ]),
    );
  });
});
