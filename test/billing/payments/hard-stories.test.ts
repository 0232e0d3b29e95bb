import assert from 'node:assert/strict';
import { listCases } from '../../../src/billing/cases/queries.ts';
import { PaymentRefused } from '../../../src/context/payment-provider.ts';
import { cancelSubscription } from '../../../src/billing/subscriptions/cancel.ts';
import { giveUpChange } from '../../../src/billing/subscriptions/change-in-flight.ts';
import { subscribe } from '../../../src/billing/subscriptions/subscribe.ts';
import { readPaymentWebhook } from '../../../src/billing/webhook/verify.ts';
import { readPaymentEvents, type EventReading } from '../../../src/billing/webhook/read-events.ts';
import { receivePaymentEvent } from '../../../src/billing/webhook/receive.ts';
import type { StripeSettings } from '../../../src/context/config.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { callOf } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { unique } from '../../support/factories.ts';
import {
  balanceTransaction,
  checkoutSession,
  disputeObject,
  paymentEventBody,
  refundedCharge,
  signPaymentEvent,
} from '../../support/payment-webhooks.ts';
import { pricesOfTests, type StripeObject } from '../../support/stripe-books.ts';
import { stripeMock } from '../../support/stripe-mock.ts';
import { startStripeProxy, type StripeProxy } from '../../support/stripe-proxy.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { newPayer, type Payer } from './payer.ts';

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: stories of Stripe that webhooks do not bring; ${found.missing}.\n`);
else describe('A hard story of Stripe', () => stories(found.program));

const SECRET = 'whsec_of_the_tests';

function stories(program: string): void {
  let rig: Rig;
  let stripe: StripeProxy;
  let payer: Payer;
  let settings: StripeSettings;
  before(async () => {
    stripe = await startStripeProxy(program);
    settings = {
      provider: 'stripe',
      secretKey: 'sk_test_of_the_tests',
      webhookSecrets: [SECRET],
      apiBase: stripe.apiBase,
      prices: pricesOfTests,
    };
    rig = await startRig({ payments: settings });
    await rig.startDelivery();
    await rig.startWorker();
  });
  beforeEach(async function () {
    this.timeout(60_000);
    settings.prices = pricesOfTests;
    stripe.books.events.length = 0;
    payer = await newPayer(rig.context);
  });
  after(async () => {
    await rig.stop();
    await stripe.stop();
  });

  const happened = (minutesAgo: number, type: string, object: Record<string, unknown>): void => {
    const createdAt = new Date(Date.now() - minutesAgo * 60_000);
    stripe.books.events.push(
      JSON.parse(paymentEventBody(type, object, { id: unique('evt'), createdAt })) as Record<string, unknown>,
    );
  };
  const readAll = async (): Promise<EventReading> => {
    let reading: EventReading | null = null;
    do reading = await readPaymentEvents(rig.context, reading);
    while (!reading.isOver);
    return reading;
  };
  const metadataOf = (id: string) =>
    ({ carnet_purpose: 'top_up', carnet_reference: id, carnet_operator: payer.operatorId }) as const;

  describe('the webhook is away for a week', function () {
    this.timeout(90_000);
    const DAY = 1_440;

    it('what only webhooks bring is read from the list of events, once, in any order', async () => {
      const { id, sessionId } = await payer.begin();
      const paymentId = `pi_${id}`;
      happened(
        7 * DAY,
        'checkout.session.completed',
        checkoutSession(metadataOf(id), { id: sessionId, payment_intent: paymentId }),
      );
      stripe.books.objects.set(paymentId, { id: paymentId, status: 'succeeded', amount: 1_000, currency: 'usd' });
      stripe.books.act('POST', '/v1/refunds', {
        query: new URLSearchParams(),
        form: { payment_intent: paymentId, amount: '300' },
      });
      happened(5 * DAY, 'charge.refunded', refundedCharge({ paymentId, amountCents: 1_000, refundedCents: 300 }));
      const moved = (...cents: number[]) => ({
        balance_transactions: cents.map((amount, index) => balanceTransaction(`txn_${id}_${index}`, amount)),
      });
      happened(
        4 * DAY,
        'charge.dispute.funds_withdrawn',
        disputeObject({ id: `dp_${id}`, paymentId, amountCents: 700 }, moved(-700)),
      );
      happened(
        2 * DAY,
        'charge.dispute.funds_reinstated',
        disputeObject({ id: `dp_${id}`, paymentId, amountCents: 700 }, { status: 'won', ...moved(-700, 700) }),
      );
      const { missed, failed } = await readAll();
      assert.deepEqual([missed, failed], [4, 0]);
      await eventually('the list of refunds to be read', async () => (await payer.available()).posted_cents === 700);
      assert.deepEqual((await readAll()).missed, 0, 'what was read counts once');
    });

    it('reads page after page, and one event that cannot be applied keeps no other from it', async () => {
      const { id, sessionId } = await payer.begin();
      happened(
        DAY,
        'checkout.session.completed',
        checkoutSession(metadataOf(id), { id: sessionId, payment_intent: `pi_${id}` }),
      );
      const broken = {
        id: 'sub_broken',
        customer: 'cus_1',
        status: 'active',
        items: { data: [] },
        metadata: { carnet_operator: payer.operatorId },
      };
      happened(DAY / 2, 'customer.subscription.updated', broken);
      for (let index = 0; index < 250; index += 1)
        happened(
          1,
          'charge.refunded',
          refundedCharge({ paymentId: `pi_of_a_shop_${index}`, amountCents: 100, refundedCents: 50 }),
        );
      stripe.calls.length = 0;
      const { missed, failed } = await readAll();
      assert.deepEqual([missed, failed], [251, 1]);
      assert.equal(stripe.callsTo('GET /v1/events').length, 3);
      assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
    });

    it('keeps what was reported of a payment that waits for a person, until they decide', async () => {
      const { pool } = rig.context;
      const { id: topUp } = await payer.begin();
      await pool.query(sql.unsafe`insert into differing_payments (id, top_up_id, differs, session_id, payment_id, amount_cents, currency)
        values ('dif_of_a_year', ${topUp}, 'amount', 'cs_of_a_year', 'pi_of_a_year', 2000, 'usd')`);
      await pool.query(
        sql.unsafe`insert into refunded_payments (payment_id, reported_at) values ('pi_of_a_year', now() - interval '1 year')`,
      );
      const kept = () =>
        pool.anyFirst(sql.unsafe`select payment_id from refunded_payments where payment_id = 'pi_of_a_year'`);
      await readAll();
      assert.deepEqual(await kept(), ['pi_of_a_year']);
      await pool.query(
        sql.unsafe`update differing_payments set status = 'dismissed', decided_at = now() where id = 'dif_of_a_year'`,
      );
      await readAll();
      assert.deepEqual(await kept(), []);
    });

    it('forgets what was reported of payments that are not ours, after a quarter of a year', async () => {
      const { pool } = rig.context;
      await pool.query(sql.unsafe`insert into refunded_payments (payment_id, reported_at)
        values ('pi_old_shop', now() - interval '91 days'), ('pi_young_shop', now() - interval '89 days')`);
      await pool.query(sql.unsafe`insert into transfer_reversals (transfer_id, whole, reported_at)
        values ('tr_old_shop', true, now() - interval '91 days'), ('tr_young_shop', true, now() - interval '89 days')`);
      await readAll();
      const left = await pool.anyFirst(
        sql.unsafe`select payment_id from refunded_payments where payment_id in ('pi_old_shop', 'pi_young_shop')`,
      );
      assert.deepEqual(left, ['pi_young_shop']);
      assert.deepEqual(await pool.anyFirst(sql.unsafe`select transfer_id from transfer_reversals`), ['tr_young_shop']);
    });
  });

  const customerOf = async (): Promise<string> =>
    String(
      await rig.context.pool.oneFirst(
        sql.unsafe`select customer_id from payment_customers where operator_id = ${payer.operatorId}`,
      ),
    );

  describe('a customer is deleted at Stripe:', function () {
    this.timeout(90_000);
    const paid = async () => {
      const { id, sessionId } = await payer.begin();
      stripe.books.pay(sessionId);
      await payer.timeIsOver(id);
      return eventually('the top-up to be paid', async () =>
        (await payer.topUps()).find((row) => row.id === id && row.status === 'paid'),
      );
    };

    it('the next top-up makes another, and what the first has paid is refunded all the same', async () => {
      const before = await paid();
      const first = await customerOf();
      stripe.books.deleteCustomer(first);
      const after = await paid();
      const second = await customerOf();
      assert.notEqual(second, first);
      assert.equal(stripe.books.get(after.session_id ?? '').customer, second);
      assert.deepEqual(await payer.available(), { posted_cents: 2_000, held_cents: 0 });
      for (const { transaction_id: id } of [before, after]) await payer.refund(id ?? '', { leaves: true });
      await eventually('both to be given back', async () =>
        (await payer.refunds()).every(({ status }) => status === 'succeeded'),
      );
      assert.deepEqual(await payer.available(), { posted_cents: 0, held_cents: 0 });
      const intents = new Set([before.payment_id, after.payment_id]);
      assert.deepEqual(
        stripe.books
          .of('re')
          .filter(({ payment_intent: intent }) => intents.has(String(intent)))
          .map(({ amount }) => amount),
        [1_000, 1_000],
      );
    });

    it('while a page waits to be paid: it is credited when it was, and ends when its time is over', async () => {
      const [one, other] = [await payer.begin(), await payer.begin()];
      stripe.books.pay(one.sessionId);
      stripe.books.deleteCustomer(await customerOf());
      for (const { id } of [one, other]) await payer.timeIsOver(id);
      await eventually('both to be over', async () => {
        const statuses = (await payer.topUps()).map(({ status }) => status);
        return statuses.join() === 'paid,expired';
      });
      assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
    });
  });

  describe('of a subscription:', function () {
    this.timeout(90_000);
    const isUnavailable = (error: unknown): boolean =>
      error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE';
    const row = () =>
      rig.context.pool.one(sql.unsafe`
        select s.status, s.subscription_id, s.cancel_at_period_end, s.revision = s.pushed_revision as pushed, o.tier
        from subscriptions s join operators o on o.id = s.operator_id where operator_id = ${payer.operatorId}`) as Promise<{
        status: string;
        subscription_id: string;
        cancel_at_period_end: boolean;
        pushed: boolean;
        tier: string;
      }>;
    const keyed = (key: string) => ({
      ...callOf(payer.operatorId, 'subscribe'),
      idempotency: { key, fingerprint: Buffer.from(key) },
    });
    const wakeToFetch = async (): Promise<void> => {
      await rig.context.pool.query(
        sql.unsafe`update subscriptions set next_call_at = clock_timestamp() where operator_id = ${payer.operatorId}`,
      );
      await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId.subscription(payer.operatorId)})`);
      rig.context.delivery.messagesCommitted();
    };
    const subscribed = async (): Promise<StripeObject> => {
      await rig.context.pool.query(sql.unsafe`update operators set tier = 'free' where id = ${payer.operatorId}`);
      const call = keyed(unique('key'));
      const { body } = await eventually('the page', () => subscribe(rig.context, call, { tier: 'pro' }), {
        seconds: 45,
        ignoreErrors: isUnavailable,
      });
      stripe.books.pay(body.session_id ?? '');
      await wakeToFetch();
      await eventually('the tier', async () => (await row()).tier === 'pro');
      return stripe.books.get((await row()).subscription_id);
    };

    it('after its price was raised and forgotten it is canceled at Stripe all the same', async () => {
      const { id } = await subscribed();
      settings.prices = { ...pricesOfTests, pro: ['price_pro_of_tomorrow'] };
      await cancelSubscription(rig.context, callOf(payer.operatorId, 'cancelSubscription'));
      rig.context.delivery.messagesCommitted();
      await eventually('the push to Stripe', async () => (await row()).pushed);
      assert.equal(stripe.books.get(id).cancel_at_period_end, true);
      const { tier, cancel_at_period_end: cancels } = await row();
      assert.deepEqual([tier, cancels], ['pro', true]);
    });

    it('a second one that was paid is ended and refunded, and the first goes on', async () => {
      const first = await subscribed();
      const session = stripe.books.of('cs_test').find(({ subscription }) => subscription === first.id);
      const second = stripe.books.pay(stripe.books.change(session?.id ?? '', { status: 'open' }).id).subscription;
      const paid = (
        stripe.books.get(String(second)).latest_invoice as {
          payments: { data: { payment: { payment_intent: string } }[] };
        }
      ).payments.data[0]?.payment.payment_intent;
      const body = paymentEventBody('customer.subscription.created', {
        ...stripe.books.get(String(second)),
        metadata: { carnet_operator: payer.operatorId },
      });
      const event = readPaymentWebhook(settings, Buffer.from(body), signPaymentEvent(body, { secret: SECRET }));
      await receivePaymentEvent(rig.context, event, 'req_test');
      await eventually('the second to be ended', () => stripe.books.get(String(second)).status === 'canceled');
      await eventually('its refund', () => stripe.books.of('re').some(({ payment_intent: intent }) => intent === paid));
      assert.equal(stripe.books.of('re').find(({ payment_intent: intent }) => intent === paid)?.amount, 10_000);
      assert.equal(stripe.books.get(first.id).status, 'active');
      await eventually(
        'the row',
        async () =>
          (await rig.context.pool.oneFirst(
            sql.unsafe`select status from surplus_subscriptions where operator_id = ${payer.operatorId}`,
          )) === 'given_back',
      );
      assert.equal((await row()).tier, 'pro');
      const made = stripe.books.of('re').find(({ payment_intent: intent }) => intent === paid);
      const { payments: provider } = rig.context;
      assert.equal(await provider.giveSubscriptionBack(String(second)), 10_000);
      const back = stripe.books.change(made?.id ?? '', { status: 'failed', currency: 'eur' });
      await assert.rejects(provider.giveSubscriptionBack(String(second)), PaymentRefused);
      const text = paymentEventBody('refund.failed', back);
      const failed = readPaymentWebhook(settings, Buffer.from(text), signPaymentEvent(text, { secret: SECRET }));
      await receivePaymentEvent(rig.context, failed, 'req_test');
      const alarms = await listCases(rig.context.pool, { operatorId: payer.operatorId, after: null, limit: 10 });
      assert.deepEqual(
        alarms.map(({ alarm, concerns, amount_cents, currency }) => [alarm, concerns, amount_cents, currency]),
        [['subscription_refund_came_back', made?.id, 10_000, 'eur']],
      );
    });

    it('an upgrade that was given up while its bank was slow is made when the payment comes', async () => {
      const { id } = await subscribed();
      const { data } = stripe.books.get(id).items as { data: Record<string, unknown>[] };
      data.push({ ...data[0], id: 'si_of_seats', price: { id: 'price_seat' }, quantity: 1 });
      const { body } = await eventually(
        'the page',
        () => subscribe(rig.context, keyed('upgrade'), { tier: 'business' }),
        {
          seconds: 45,
          ignoreErrors: isUnavailable,
        },
      );
      const sessionId = body.session_id ?? '';
      assert.match(sessionId, /^cs_/, 'with seats it is paid at a checkout');
      stripe.books.payLater(sessionId, 'processing');
      await giveUpChange(rig.context, callOf(payer.operatorId, 'giveUpSubscriptionChange'));
      rig.context.delivery.messagesCommitted();
      await eventually(
        'it to be closed',
        async () =>
          (await rig.context.pool.oneFirst(sql.unsafe`
          select bool_and(not closing) from subscription_changes where operator_id = ${payer.operatorId}`)) === true,
      );
      assert.equal((await row()).tier, 'pro');
      const session = stripe.books.change(sessionId, { payment_status: 'paid' });
      const text = paymentEventBody('checkout.session.async_payment_succeeded', {
        ...session,
        payment_intent: 'pi_slow',
      });
      const event = readPaymentWebhook(settings, Buffer.from(text), signPaymentEvent(text, { secret: SECRET }));
      await receivePaymentEvent(rig.context, event, 'req_test');
      await eventually('the upgrade', async () => (await row()).tier === 'business');
    });

    it('an event of one that has ended since gives nothing back, however late it is', async () => {
      const first = await subscribed();
      const session = stripe.books.of('cs_test').find(({ subscription }) => subscription === first.id);
      const earlier = stripe.books.pay(stripe.books.change(session?.id ?? '', { status: 'open' }).id).subscription;
      const body = paymentEventBody('customer.subscription.created', {
        ...stripe.books.get(String(earlier)),
        metadata: { carnet_operator: payer.operatorId },
      });
      stripe.books.change(String(earlier), { status: 'canceled' });
      const refunds = stripe.books.of('re').length;
      const event = readPaymentWebhook(settings, Buffer.from(body), signPaymentEvent(body, { secret: SECRET }));
      await receivePaymentEvent(rig.context, event, 'req_test');
      const outcome = () =>
        rig.context.pool.oneFirst(
          sql.unsafe`select status from surplus_subscriptions where operator_id = ${payer.operatorId}`,
        );
      await eventually('it to be looked at', async () => (await outcome()) === 'over');
      assert.equal(stripe.books.of('re').length, refunds);
      assert.equal((await row()).tier, 'pro');
    });

    it('another that replaced it at Stripe is the one that runs', async () => {
      const first = await subscribed();
      const session = stripe.books.of('cs_test').find(({ subscription }) => subscription === first.id);
      const next = stripe.books.pay(stripe.books.change(session?.id ?? '', { status: 'open' }).id).subscription;
      stripe.books.change(first.id, { status: 'canceled' });
      const body = paymentEventBody('customer.subscription.created', {
        ...stripe.books.get(String(next)),
        metadata: { carnet_operator: payer.operatorId },
      });
      const event = readPaymentWebhook(settings, Buffer.from(body), signPaymentEvent(body, { secret: SECRET }));
      await receivePaymentEvent(rig.context, event, 'req_test');
      await eventually('the other to run', async () => (await row()).subscription_id === next);
      assert.deepEqual([(await row()).tier, stripe.books.get(String(next)).status], ['pro', 'active']);
    });

    const bought = async (tier: 'pro' | 'business'): Promise<void> => {
      const { body } = await eventually('the page', () => subscribe(rig.context, keyed(unique('key')), { tier }), {
        seconds: 45,
        ignoreErrors: isUnavailable,
      });
      stripe.books.pay(body.session_id ?? '');
      await wakeToFetch();
      await eventually(`the tier ${tier}`, async () => (await row()).tier === tier);
    };

    it('whose customer was deleted at Stripe it ends by its event, and another is bought by another customer', async () => {
      const { id } = await subscribed();
      const first = await customerOf();
      stripe.books.deleteCustomer(first);
      const body = paymentEventBody('customer.subscription.deleted', {
        ...stripe.books.get(id),
        metadata: { carnet_operator: payer.operatorId },
      });
      const event = readPaymentWebhook(settings, Buffer.from(body), signPaymentEvent(body, { secret: SECRET }));
      await receivePaymentEvent(rig.context, event, 'req_test');
      await eventually('its end', async () => (await row()).status === 'ended');
      assert.equal((await row()).tier, 'free');
      await bought('pro');
      assert.notEqual(await customerOf(), first);
      assert.notEqual((await row()).subscription_id, id);
    });

    it('whose customer was deleted, and whose event is lost, it ends when it is canceled', async () => {
      const { id } = await subscribed();
      stripe.books.deleteCustomer(await customerOf());
      await cancelSubscription(rig.context, callOf(payer.operatorId, 'cancelSubscription'));
      rig.context.delivery.messagesCommitted();
      await eventually('its end', async () => (await row()).status === 'ended');
      const { tier, pushed } = await row();
      assert.deepEqual([tier, pushed], ['free', true]);
      assert.equal(stripe.books.get(id).status, 'canceled');
    });

    it('whose customer was deleted, and whose event is lost, it ends when an upgrade is refused', async () => {
      await subscribed();
      const first = await customerOf();
      stripe.books.deleteCustomer(first);
      await assert.rejects(
        eventually('the refusal', () => subscribe(rig.context, keyed(unique('key')), { tier: 'business' }), {
          seconds: 45,
          ignoreErrors: isUnavailable,
        }),
        (error) => error instanceof CarnetError && error.code === 'PAYMENT_REFUSED',
      );
      await eventually('its end', async () => (await row()).status === 'ended');
      assert.equal(await customerOf(), first, 'what has ended needs no other customer');
      await bought('business');
    });

    it('one that Stripe no longer knows is past due, then unpaid, and what it decides is not pushed for ever', async () => {
      const { id } = await subscribed();
      const known = stripe.books.get(id);
      stripe.books.objects.delete(id);
      await wakeToFetch();
      await eventually('it to be past due', async () => (await row()).status === 'past_due');
      assert.equal((await row()).tier, 'pro');
      await rig.context.pool.query(sql.unsafe`
        update subscriptions set unknown_since = now() - interval '15 days', period_start = now() - interval '46 days',
          period_end = now() - interval '15 days' where operator_id = ${payer.operatorId}`);
      await wakeToFetch();
      await eventually('it to be unpaid', async () => (await row()).status === 'unpaid');
      assert.equal((await row()).tier, 'free');
      await cancelSubscription(rig.context, callOf(payer.operatorId, 'cancelSubscription'));
      rig.context.delivery.messagesCommitted();
      await eventually('its end', async () => (await row()).status === 'ended');
      assert.equal((await row()).pushed, true);
      stripe.books.objects.set(id, known);
    });
  });
}
