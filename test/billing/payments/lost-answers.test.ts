import assert from 'node:assert/strict';
import type { StripeSettings } from '../../../src/context/config.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { casesOf, itInFull } from '../../support/cases.ts';
import { eventually } from '../../support/eventually.ts';
import { pricesOfTests } from '../../support/stripe-books.ts';
import { stripeMock } from '../../support/stripe-mock.ts';
import { startStripeProxy, type StripeProxy } from '../../support/stripe-proxy.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf } from '../../temporal/runs.ts';
import { newPayer, type Payer } from './payer.ts';

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: answers of Stripe that are lost on their way; ${found.missing}.\n`);
else describe('An answer of the payment provider that is lost on its way', () => checks(found.program));

function checks(program: string): void {
  let rig: Rig;
  let stripe: StripeProxy;
  let payer: Payer;
  before(async () => {
    stripe = await startStripeProxy(program);
    const payments: StripeSettings = {
      provider: 'stripe',
      secretKey: 'sk_test_of_the_tests',
      webhookSecrets: ['whsec_of_the_tests'],
      apiBase: stripe.apiBase,
      prices: pricesOfTests,
    };
    rig = await startRig({ payments });
    await rig.startDelivery();
    await rig.startWorker();
  });
  beforeEach(async function () {
    this.timeout(60_000);
    stripe.calls.length = 0;
    stripe.faults.length = 0;
    payer = await newPayer(rig.context);
  });
  after(async () => {
    await rig.stop();
    await stripe.stop();
  });

  const sessions = (): unknown[] =>
    stripe.books.of('cs_test').filter(({ form }) => JSON.stringify(form).includes(payer.operatorId));
  const customers = () =>
    stripe.books
      .of('cus')
      .filter(({ metadata }) => (metadata as { carnet_operator?: string }).carnet_operator === payer.operatorId);
  const paidTopUp = async (): Promise<{ id: string; transactionId: string; paymentId: string }> => {
    const { id, sessionId } = await payer.begin();
    stripe.books.pay(sessionId);
    await payer.timeIsOver(id);
    await runOf(rig, lifeId['top-up'](id)).ended();
    const row = (await payer.topUps()).find((one) => one.id === id);
    return { id, transactionId: row?.transaction_id ?? '', paymentId: row?.payment_id ?? '' };
  };

  for (const how of casesOf(['drop', 'lose', 'garbage', 500, 429] as const, (one) => one === 'lose' || one === 500)) {
    it(`opens one checkout nevertheless: two tries, one key, one session (${how})`, async function () {
      this.timeout(60_000);
      stripe.faults.push({ on: /POST \/v1\/checkout\/sessions$/, how });
      const { id, sessionId } = await payer.begin();
      const tries = stripe.callsTo('POST /v1/checkout/sessions');
      assert.equal(tries.length, 2);
      assert.deepEqual(new Set(tries.map(({ idempotencyKey }) => idempotencyKey)), new Set([id]));
      assert.deepEqual(
        sessions().map((session) => (session as { id: string }).id),
        [sessionId],
      );
    });
  }

  it('makes one customer of the operator, whichever call is first', async function () {
    this.timeout(60_000);
    stripe.faults.push({ on: /POST \/v1\/customers$/, how: 'drop' });
    await Promise.all([payer.begin(), payer.begin()]);
    assert.equal(customers().length, 1);
  });

  it('makes another customer where Stripe no longer knows the first, and the operator can pay again', async function () {
    this.timeout(60_000);
    await payer.begin();
    const [first] = customers();
    stripe.books.objects.delete(first?.id ?? '');
    const { id, sessionId } = await payer.begin();
    const [second, ...more] = customers();
    assert(second !== undefined && second.id !== first?.id && more.length === 0);
    assert.equal(stripe.books.get(sessionId).customer, second.id);
    stripe.books.pay(sessionId);
    await payer.timeIsOver(id);
    await runOf(rig, lifeId['top-up'](id)).ended();
    assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
    assert.equal(stripe.books.get((await payer.begin()).sessionId).customer, second.id, 'and is kept');
  });

  it('asks for the same page, although the address of the service and the time to pay changed in between', async function () {
    this.timeout(60_000);
    const { config } = rig.context;
    const before = { publicBaseUrl: config.publicBaseUrl, topUpSessionSeconds: config.topUpSessionSeconds };
    // Stripe makes the session, and its answer is not understood.
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
    stripe.faults.push({ on: /POST \/v1\/checkout\/sessions$/, how: 'garbage' });
    stripe.faults.push({ on: /POST \/v1\/checkout\/sessions$/, how: { until } });
    try {
      const begun = payer.begin();
      await eventually('the first try', () => stripe.callsTo('POST /v1/checkout/sessions').length > 0);
      Object.assign(config, { publicBaseUrl: 'http://moved.test', topUpSessionSeconds: 60 });
      letGo();
      const { sessionId } = await begun;
      assert.deepEqual(
        sessions().map((session) => (session as { id: string }).id),
        [sessionId],
      );
    } finally {
      Object.assign(config, before);
    }
  });

  it('refuses where Stripe refuses, and leaves nothing that could be paid', async function () {
    this.timeout(60_000);
    stripe.faults.push({ on: /POST \/v1\/checkout\/sessions$/, how: 400 });
    await assert.rejects(
      () => eventually('the answer', () => payer.topUp('refused'), { seconds: 45, ignoreErrors: isUnavailable }),
      (error: unknown) => error instanceof CarnetError && error.code === 'PAYMENT_REFUSED' && error.status === 502,
    );
    assert.deepEqual(
      (await payer.topUps()).map(({ status }) => status),
      ['refused'],
    );
    const { body } = await eventually('the session', () => payer.topUp('refused'), {
      seconds: 45,
      ignoreErrors: isUnavailable,
    });
    assert.match(body.session_id, /^cs_test_/, 'a refusal does not stick to its key');
  });

  it('credits a payment once, with its receipt, although the webhook never came', async function () {
    this.timeout(60_000);
    stripe.faults.push({ on: /GET \/v1\/checkout\/sessions/, how: 'drop' });
    await paidTopUp();
    assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
  });

  for (const how of casesOf(['drop', 'lose', 'garbage', 503] as const, (one) => one === 'lose' || one === 503)) {
    it(`refunds once nevertheless, and holds the money meanwhile (${how})`, async function () {
      this.timeout(60_000);
      const { transactionId, paymentId } = await paidTopUp();
      stripe.faults.push({ on: /POST \/v1\/refunds$/, how });
      const { body } = await payer.refund(transactionId);
      await eventually('the refund', async () => (await payer.refunds())[0]?.status === 'succeeded', { seconds: 30 });
      assert.equal(stripe.books.of('re').filter((refund) => refund.payment_intent === paymentId).length, 1);
      assert.deepEqual(
        new Set(stripe.callsTo('POST /v1/refunds').map(({ idempotencyKey }) => idempotencyKey)),
        new Set([`refund:${transactionId}`]),
      );
      assert.match(body.refund_id, /^rfd_/);
      assert.deepEqual(await payer.available(), { posted_cents: 0, held_cents: 0 });
    });
  }

  it('returns the money of a refused refund to the wallet, and allows another request under another key', async function () {
    this.timeout(60_000);
    const { transactionId } = await paidTopUp();
    stripe.faults.push({ on: /POST \/v1\/refunds$/, how: 400 });
    const refusing = () =>
      eventually(
        'the refusal',
        async () => (await payer.refund(transactionId, { key: 'refused' })).body.status !== 'pending',
      );
    await assert.rejects(
      refusing,
      (error: unknown) => error instanceof CarnetError && error.code === 'PAYMENT_REFUSED',
    );
    assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
    assert.deepEqual(
      (await payer.refunds()).map(({ status }) => status),
      ['failed'],
    );
    await payer.refund(transactionId);
    await eventually('the other refund', async () => (await payer.refunds())[1]?.status === 'succeeded');
    assert.deepEqual(
      stripe.callsTo('POST /v1/refunds').map(({ idempotencyKey }) => idempotencyKey),
      [`refund:${transactionId}`, `refund:${transactionId}:2`],
    );
  });

  it('keeps the money held while Stripe does not know a refund that it made, as with the key of another account', async function () {
    this.timeout(60_000);
    const { transactionId, paymentId } = await paidTopUp();
    const wish = { payment_intent: paymentId, amount: '1000', metadata: { carnet_key: `refund:${transactionId}` } };
    const made = String(stripe.books.act('POST', '/v1/refunds', { query: new URLSearchParams(), form: wish })?.id);
    stripe.books.change(made, { status: 'pending' });
    const { body } = await payer.refund(transactionId, { leaves: true });
    const askNow = async (): Promise<void> => {
      await eventually('the refund to be known', async () => {
        const { rowCount } = await rig.context.pool.query(sql.unsafe`
          update refunds set next_call_at = clock_timestamp()
          where id = ${body.refund_id} and exists (select from provider_refunds where id = ${made} and refund_id = ${body.refund_id})`);
        return rowCount === 1;
      });
      await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId.refund(body.refund_id)})`);
      rig.context.delivery.messagesCommitted();
    };
    const alarms = (): Promise<readonly unknown[]> =>
      rig.context.pool.anyFirst(sql.unsafe`
        select kind from billing_alarms where operator_id = ${payer.operatorId} and status = 'open'`);
    await eventually('the refund to be known', () =>
      rig.context.pool.exists(sql.unsafe`select from provider_refunds where id = ${made}`),
    );
    stripe.faults.push({ on: /GET \/v1\/refunds/, how: 404 });
    await askNow();
    await eventually('an alarm', async () => (await alarms()).includes('refunds_unread'));
    const isPlanned = sql.unsafe`select next_call_at > clock_timestamp() from refunds where id = ${body.refund_id}`;
    assert.equal(await rig.context.pool.oneFirst(isPlanned), true);
    assert.deepEqual(
      [(await payer.refunds()).map(({ status }) => status), await payer.available()],
      [['pending'], { posted_cents: 1_000, held_cents: 1_000 }],
    );
    stripe.books.change(made, { status: 'succeeded' });
    await askNow();
    await eventually('the refund', async () => (await payer.refunds())[0]?.status === 'succeeded');
    assert.deepEqual([await payer.available(), await alarms()], [{ posted_cents: 0, held_cents: 0 }, []]);
  });

  itInFull(
    'answers 202 where the bank is slow, checks again, and replays the current state under that status',
    async function () {
      this.timeout(60_000);
      const { transactionId, paymentId } = await paidTopUp();
      const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
      const slow = { on: /POST \/v1\/refunds$/, how: { until } };
      stripe.faults.push(slow, slow, slow); // the next check is 15 seconds later
      const { status, body } = await payer.refund(transactionId, { key: 'slow' });
      assert.deepEqual([status, body.status], [202, 'pending']);
      assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 1_000 });
      letGo();
      await eventually('the refund', async () => (await payer.refunds())[0]?.status === 'succeeded', { seconds: 30 });
      assert.deepEqual(await payer.refund(transactionId, { key: 'slow' }), {
        status: 202,
        body: { ...body, status: 'succeeded' },
        replayed: true,
      });
      assert.equal(stripe.books.of('re').filter((refund) => refund.payment_intent === paymentId).length, 1);
    },
  );
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE';
