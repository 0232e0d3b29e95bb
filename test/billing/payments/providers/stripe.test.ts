import assert from 'node:assert/strict';
import { createStripe } from '../../../../src/billing/payments/stripe/client.ts';
import {
  NotDone,
  PaymentRefused,
  type Customer,
  type PaymentProvider,
  type SubscriptionChange,
} from '../../../../src/context/payment-provider.ts';
import type { PaidTier } from '../../../../src/fields/tiers.ts';
import { CarnetError } from '../../../../src/errors/carnet-error.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { formIn, formOf, listIn, numberIn, textIn } from '../../../support/stripe-form.ts';
import { stripeMock } from '../../../support/stripe-mock.ts';
import type { StripeCall, StripeFault } from '../../../support/stripe-proxy.ts';
import { openStripeProvider, pageTerms, type StripeWorld } from './provider-worlds.ts';

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: what we send to Stripe and how its failures are handled; ${found.missing}.\n`);
else describe('calls to Stripe', () => callsToStripe(found.program));

/**
 * The SDK repeats a call once whose connection was closed, since a server may close a connection that was kept open.
 */
const twiceIfClosed = (fault: StripeFault): StripeFault[] =>
  fault.how === 'drop' || fault.how === 'lose' ? [fault, fault] : [fault];

function callsToStripe(program: string): void {
  let world: StripeWorld;
  let payments: PaymentProvider;
  let configurationId: string | null;
  let customer: { operatorId: string } & Customer;

  before(async () => {
    world = await openStripeProvider(program);
    ({ payments } = world);
    customer = await world.newCustomer();
    configurationId = await payments.ensurePortal(null);
  });
  after(() => world.close());
  beforeEach(() => {
    world.proxy.calls.length = 0;
    world.proxy.faults.length = 0;
  });

  const SESSIONS = 'POST /v1/checkout/sessions';
  const PORTAL_PAGES = 'POST /v1/billing_portal/sessions';
  const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
  const topUp = () => ({ ...customer, topUpId: newId('top'), amountCents: 2_500, ...pageTerms(inAnHour()) });
  const onlyCall = (what: string): StripeCall => {
    const [call, ...more] = world.proxy.callsTo(what);
    assert(
      call !== undefined && more.length === 0,
      `${what} was called ${more.length + (call === undefined ? 0 : 1)} times`,
    );
    return call;
  };
  const refunded = async () => {
    const page = await payments.openTopUp(topUp());
    await world.pay(page);
    const { paymentId } = await payments.readCheckout(page.sessionId);
    const request = { key: `refund:${newId('txn')}`, tries: 1, paymentId: paymentId ?? '', amountCents: 2_500 };
    return { request, ...(await payments.refund(request)) };
  };

  it('are checked by name: a parameter that Stripe does not have is refused', async () => {
    const stripe = createStripe({ secretKey: 'sk_test_ofthetests', apiBase: world.proxy.apiBase });
    const request = { email: 'ada@example.test', emial: 'ada@example.test' };
    await assert.rejects(stripe.customers.create(request), /additional properties are not allowed/);
  });

  it('name the top-up on the session and on its payment, under the key of the top-up', async () => {
    const request = topUp();
    await payments.openTopUp(request);
    const call = onlyCall(SESSIONS);
    assert.equal(call.idempotencyKey, request.topUpId);
    const form = formOf(call.body);
    const metadata = {
      carnet_purpose: 'top_up',
      carnet_reference: request.topUpId,
      carnet_operator: customer.operatorId,
    };
    assert.deepEqual(form.metadata, metadata);
    assert.deepEqual(formIn(form.payment_intent_data).metadata, metadata);
    assert.equal(form.mode, 'payment');
    assert.equal(form.customer, customer.customerId);
    const [item, ...more] = listIn(form.line_items);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [item?.quantity, formIn(item?.price_data).unit_amount, formIn(item?.price_data).currency],
      ['1', '2500', 'usd'],
    );
    assert.match(textIn(form.success_url) ?? '', /\/dashboard/);
  });

  it('name the change on the session and on its subscription, with seats as an item of their own', async () => {
    const changeId = newId('sbc');
    await payments.openSubscription({
      ...customer,
      changeId,
      tier: 'pro',
      purchasedSeats: 3,
      ...pageTerms(inAnHour()),
    });
    const call = onlyCall(SESSIONS);
    assert.equal(call.idempotencyKey, changeId);
    const form = formOf(call.body);
    const metadata = {
      carnet_purpose: 'subscription',
      carnet_reference: changeId,
      carnet_operator: customer.operatorId,
    };
    assert.deepEqual(
      [form.mode, form.metadata, formIn(form.subscription_data).metadata],
      ['subscription', metadata, metadata],
    );
    assert.deepEqual(
      listIn(form.line_items).map(({ price, quantity }) => [price, quantity]),
      [
        ['price_pro', '1'],
        ['price_seat', '3'],
      ],
    );
  });

  it('send the refund, the transfer and the portal under the key they are given', async () => {
    const { request } = await refunded();
    assert.equal(onlyCall('POST /v1/refunds').idempotencyKey, request.key);
    await payments.transfer({
      key: 'payout:op_1:2026-11',
      tries: 1,
      operatorId: 'op_1',
      account: 'acct_1',
      amountCents: 500,
    });
    assert.equal(onlyCall('POST /v1/transfers').idempotencyKey, 'payout:op_1:2026-11');
    const portalId = newId('prt');
    await payments.openPortal({ portalId, ...customer, configurationId, returnTo: 'http://carnet.test' });
    assert.match(onlyCall(PORTAL_PAGES).idempotencyKey ?? '', new RegExp(`^${portalId}:`));
  });

  it('keep a session open until ours is over, within the bounds of Stripe, and the same however late they are made', async () => {
    const seconds = async (lasts: number): Promise<number | null> => {
      const until = new Date(Math.floor(Date.now() / 1_000) * 1_000 + lasts * 1_000);
      await payments.openTopUp({ ...topUp(), ...pageTerms(until, lasts) });
      const form = formOf(world.proxy.callsTo(SESSIONS).at(-1)?.body ?? '');
      return form.expires_at === undefined ? null : numberIn(form.expires_at) - until.getTime() / 1_000;
    };
    assert.equal(await seconds(60), 2_100);
    assert.equal(await seconds(86_400), null);
  });

  for (const how of ['drop', 'lose', 'garbage', 500, 503, 429] as const) {
    it(`made again after ${how}, end in one session under one key`, async () => {
      const request = topUp();
      const before = world.proxy.books.of('cs_test').length;
      world.proxy.faults.push(...twiceIfClosed({ on: /checkout\/sessions$/, how }));
      await assert.rejects(
        payments.openTopUp(request),
        (error) => error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE',
      );
      const page = await payments.openTopUp(request);
      assert.equal(world.proxy.books.of('cs_test').length, before + 1);
      const keys = world.proxy.callsTo(SESSIONS).map(({ idempotencyKey }) => idempotencyKey);
      assert(keys.length >= 2 && keys.every((key) => key === request.topUpId), String(keys));
      assert.deepEqual(await payments.openTopUp(request), page);
    });
  }

  it('wait for a call under way that has their key, and have its result; not for ever', async () => {
    const inUse = { on: /checkout\/sessions$/, how: 409 };
    const request = topUp();
    world.proxy.faults.push(inUse, inUse);
    await payments.openTopUp(request);
    assert.deepEqual(
      world.proxy.callsTo(SESSIONS).map(({ idempotencyKey, status }) => [idempotencyKey, status]),
      [409, 409, 200].map((status) => [request.topUpId, status]),
    );
    world.proxy.faults.push(inUse, inUse, inUse, inUse, inUse);
    await assert.rejects(
      payments.openTopUp(request),
      (error) => error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE',
    );
  });

  for (const status of [401, 403]) {
    it(`are made again after ${status}, which an operator of Carnet has to repair, and log that`, async () => {
      world.proxy.faults.push({ how: status });
      await assert.rejects(
        payments.openTopUp(topUp()),
        (error) => error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE',
      );
      assert.match(
        world.logged(),
        new RegExp(`"level":"?(?:error|50)"?[^\\n]*"status":${status}[^\\n]*refuses our key`),
      );
    });
  }

  for (const status of [400, 402, 404]) {
    it(`are not repeated after ${status}`, async () => {
      world.proxy.faults.push({ how: status });
      await assert.rejects(payments.openTopUp(topUp()), PaymentRefused);
    });
  }

  it('repeat by themselves only a call whose connection was closed, once, under its key', async () => {
    world.proxy.faults.push({ how: 500 });
    await assert.rejects(payments.openTopUp(topUp()));
    assert.equal(world.proxy.calls.length, 1);
    const request = topUp();
    world.proxy.faults.push({ how: 'drop' });
    await payments.openTopUp(request);
    assert.deepEqual(
      world.proxy.calls.slice(1).map(({ idempotencyKey, status }) => [idempotencyKey, status]),
      [
        [request.topUpId, null],
        [request.topUpId, 200],
      ],
    );
  });

  it('find a refund of a key that Stripe has forgotten, and make no second one', async () => {
    const { request, providerRefundId } = await refunded();
    world.proxy.forgetKeys();
    assert.deepEqual(await payments.refund(request), { providerRefundId });
    assert.equal(world.proxy.callsTo('POST /v1/refunds').length, 1);
  });

  for (const [status, code] of [
    [400, 'balance_insufficient'],
    [500, 'of_the_tests'],
  ] as const) {
    /** A failure counts once it is repeated, a balance that is too low immediately. */
    const isFirst = (error: unknown): boolean =>
      error instanceof CarnetError && error instanceof NotDone === (status === 400);
    it(`make a transfer under another key where Stripe repeats ${status} ${code} for the first one, and only once`, async () => {
      const key = `payout:op_1:${status}`;
      const request = { key, tries: 1, operatorId: 'op_1', account: 'acct_1234', amountCents: 5_000 };
      world.proxy.faults.push({ on: /^POST .v1.transfers/, how: { kept: status, code } });
      await assert.rejects(payments.transfer(request), isFirst);
      await assert.rejects(payments.transfer(request), NotDone);
      const made = await payments.transfer({ ...request, tries: 2 });
      assert.deepEqual(await payments.transfer({ ...request, tries: 3 }), made);
      assert.deepEqual(
        world.proxy.callsTo('POST /v1/transfers').map(({ idempotencyKey }) => idempotencyKey),
        [key, key, `${key}:try-2`],
      );
    });

    it(`make a refund under another key where Stripe repeats ${status} ${code} for the first one, and only once`, async () => {
      const page = await payments.openTopUp(topUp());
      await world.pay(page);
      const { paymentId } = await payments.readCheckout(page.sessionId);
      const other = { key: `refund:${newId('txn')}`, tries: 1, paymentId: paymentId ?? '', amountCents: 2_500 };
      const posts = world.proxy.callsTo('POST /v1/refunds').length;
      world.proxy.faults.push({ on: /^POST .v1.refunds/, how: { kept: status, code } });
      await assert.rejects(payments.refund(other), isFirst);
      await assert.rejects(payments.refund(other), NotDone);
      const made = await payments.refund({ ...other, tries: 2 });
      assert.deepEqual(await payments.refund({ ...other, tries: 3 }), made);
      assert.equal(world.proxy.callsTo('POST /v1/refunds').length, posts + 3);
    });
  }

  it('find a transfer of a key that Stripe has forgotten, and make no second one', async () => {
    const request = {
      key: 'payout:op_1:2026-10',
      tries: 1,
      operatorId: 'op_1',
      account: 'acct_1234',
      amountCents: 5_000,
    };
    world.proxy.faults.push({ on: /^POST .v1.transfers/, how: 'garbage' });
    await assert.rejects(payments.transfer(request), (error) => !(error instanceof PaymentRefused));
    world.proxy.forgetKeys();
    const { transferId } = await payments.transfer(request);
    assert.deepEqual(
      world.proxy.books
        .of('tr')
        .map(({ id, transfer_group: group }) => [id, group])
        .at(-1),
      [transferId, request.key],
    );
    assert.equal(world.proxy.callsTo('POST /v1/transfers').length, 1);
  });

  it('list a refund as it is now, not as it was when it was made', async () => {
    const { request, providerRefundId } = await refunded();
    for (const [status, ours] of [
      ['succeeded', 'succeeded'],
      ['pending', 'pending'],
      ['requires_action', 'pending'],
      ['failed', 'failed'],
      ['canceled', 'failed'],
      ['a_status_of_later', 'pending'],
    ] as const) {
      world.proxy.books.change(providerRefundId, { status });
      const [listed, ...more] = await payments.listRefunds(request.paymentId);
      const { key, amountCents } = request;
      const madeAt = new Date(Number(world.proxy.books.get(providerRefundId).created) * 1_000);
      assert.deepEqual([listed, more], [{ providerRefundId, amountCents, key, status: ours, madeAt }, []]);
    }
  });

  it('list all refunds of a payment, page by page, the newest first, and look on all of them for a key', async () => {
    const page = await payments.openTopUp(topUp());
    world.proxy.books.pay(page.sessionId);
    const { paymentId } = await payments.readCheckout(page.sessionId);
    assert(paymentId !== null);
    const key = `refund:${newId('txn')}`;
    const first = await payments.refund({ key, tries: 1, paymentId, amountCents: 1 });
    for (let count = 1; count < 150; count += 1)
      world.proxy.books.act('POST', '/v1/refunds', {
        query: new URLSearchParams(),
        form: { payment_intent: paymentId, amount: '1' },
      });
    world.proxy.calls.length = 0;
    const list = await payments.listRefunds(paymentId);
    assert.equal(new Set(list.map(({ providerRefundId }) => providerRefundId)).size, 150);
    assert.equal(list.at(-1)?.providerRefundId, first.providerRefundId);
    assert.equal(world.proxy.callsTo('GET /v1/refunds').length, 2);
    assert.deepEqual(await payments.refund({ key, tries: 1, paymentId, amountCents: 1 }), first);
  });

  it('list a refund as made without us where its key is none that we make', async () => {
    const { request, providerRefundId } = await refunded();
    for (const key of ['\0', '\ud800', 'refund:txn_1 ', '']) {
      world.proxy.books.change(providerRefundId, { metadata: { carnet_key: key } });
      assert.deepEqual(
        (await payments.listRefunds(request.paymentId)).map((refund) => refund.key),
        [null],
      );
    }
  });

  it('refuse a list in another currency, and that of a payment which Stripe does not know', async () => {
    const { request, providerRefundId } = await refunded();
    world.proxy.books.change(providerRefundId, { currency: 'eur' });
    await assert.rejects(payments.listRefunds(request.paymentId), PaymentRefused);
    await assert.rejects(payments.listRefunds('pi_unknown'), PaymentRefused);
  });

  /** The payment of its first invoice, in the books of the double. */
  const paymentOf = (subscriptionId: string): string => {
    const invoice = world.proxy.books.get(subscriptionId).latest_invoice as {
      payments: { data: { payment: { payment_intent: string } }[] };
    };
    return invoice.payments.data[0]?.payment.payment_intent ?? '';
  };

  it('say whose payment for a subscription it is, and nothing of another payment', async () => {
    const id = await subscribed('pro');
    assert.deepEqual(await payments.readSubscriptionPayment(paymentOf(id)), {
      subscriptionId: id,
      customerId: world.proxy.books.get(id).customer,
    });
    assert.equal(await payments.readSubscriptionPayment('pi_unknown'), null);
  });

  it('give a subscription back that was paid in another currency, once', async () => {
    const id = await subscribed('pro');
    const paymentId = paymentOf(id);
    const { books } = world.proxy;
    books.change(paymentId, { currency: 'eur' });
    for (let times = 0; times < 2; times += 1) {
      assert.equal(await payments.giveSubscriptionBack(id), 10_000);
      assert.equal(books.get(id).status, 'canceled');
    }
    const refunds = books.of('re').filter((refund) => refund.payment_intent === paymentId);
    assert.deepEqual(
      refunds.map(({ currency }) => currency),
      ['eur'],
    );
  });

  for (const [what, earlier] of [
    ['all', 10_000],
    ['a part', 4_000],
  ] as const) {
    it(`end a subscription of whose payment ${what} was refunded already, and give back the rest`, async () => {
      const id = await subscribed('pro');
      await payments.refund({
        key: `of-the-dashboard:${id}`,
        tries: 1,
        paymentId: paymentOf(id),
        amountCents: earlier,
      });
      assert.equal(await payments.giveSubscriptionBack(id), 10_000 - earlier);
      assert.equal(world.proxy.books.get(id).status, 'canceled');
    });
  }

  for (const [intent, status] of [
    ['processing', 'processing'],
    ['requires_payment_method', 'failed'],
  ] as const) {
    it(`return a checkout whose payment is ${intent} as ${status}`, async () => {
      const { sessionId } = await payments.openTopUp(topUp());
      world.proxy.books.payLater(sessionId, intent);
      assert.equal((await payments.readCheckout(sessionId)).status, status);
    });
  }

  it('continue a change of several things where it stopped', async () => {
    const subscriptionId = await subscribed('business');
    const request = {
      key: newId('sbc'),
      subscriptionId,
      change: { purchasedSeats: 2, nextTier: 'pro', cancelAtPeriodEnd: true },
    } as const;
    const UPDATE = `POST /v1/subscriptions/${subscriptionId}`;
    world.proxy.calls.length = 0;
    for (const fault of ['drop', 500] as const) {
      world.proxy.faults.push(...twiceIfClosed({ on: /POST .*subscriptions/, how: fault }));
      await assert.rejects(payments.changeSubscription(request), CarnetError);
    }
    const { purchasedSeats, nextTier, cancelAtPeriodEnd } = await payments.changeSubscription(request);
    assert.deepEqual([purchasedSeats, nextTier, cancelAtPeriodEnd], [2, 'pro', true]);
    const keys = world.proxy.callsTo(UPDATE).map(({ idempotencyKey }) => idempotencyKey);
    assert.equal(new Set(keys).size, 3, 'a key for each of the three things');
    assert(keys.every((key) => key?.startsWith(request.key)));
  });

  it('credit nothing for a downgrade, prorate seats, and charge no saved card for an upgrade of several items', async () => {
    const subscriptionId = await subscribed('pro');
    const change = (wanted: Parameters<PaymentProvider['changeSubscription']>[0]['change']) =>
      payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: wanted });
    await change({ nextTier: 'developer' });
    await change({ nextTier: null });
    await change({ purchasedSeats: 1 });
    const upgrade = await payments.openUpgrade({
      ...customer,
      changeId: newId('sbc'),
      attempt: 1,
      configurationId,
      subscriptionId,
      tier: 'business',
      ...pageTerms(inAnHour()),
    });
    const sent = world.proxy
      .callsTo(`POST /v1/subscriptions/${subscriptionId}`)
      .map(({ body }) => formOf(body))
      .map((form) => [form.proration_behavior, form.payment_behavior]);
    assert.deepEqual(sent, [
      ['none', undefined],
      ['none', undefined],
      ['create_prorations', undefined],
    ]);
    const form = formOf(world.proxy.callsTo(SESSIONS).at(-1)?.body ?? '');
    assert.deepEqual([form.mode, formIn(form.metadata).carnet_purpose], ['payment', 'subscription']);
    assert.equal((await payments.readCheckout(upgrade.sessionId)).amountCents, 40_000);
    assert.equal((await payments.readSubscription(subscriptionId)).tier, 'pro', 'it waits for its payment');
    await payments.expireCheckout(upgrade.sessionId);
    assert.equal((await payments.readCheckout(upgrade.sessionId)).status, 'expired');
  });

  it('make an upgrade of several items once when it was paid, and leave one page open', async () => {
    const subscriptionId = await subscribed('developer', 2);
    const changeId = newId('sbc');
    const upgrade = {
      ...customer,
      configurationId,
      changeId,
      subscriptionId,
      tier: 'pro',
      ...pageTerms(inAnHour()),
    } as const;
    const first = await payments.openUpgrade({ ...upgrade, attempt: 1 });
    const again = await payments.openUpgrade({ ...upgrade, attempt: 2 });
    assert.equal((await payments.readCheckout(first.sessionId)).status, 'expired');
    await world.pay(again);
    world.proxy.calls.length = 0;
    for (let time = 0; time < 2; time += 1)
      assert.equal((await payments.completeUpgrade({ changeId, subscriptionId, tier: 'pro' })).tier, 'pro');
    const form = formOf(onlyCall(`POST /v1/subscriptions/${subscriptionId}`).body);
    assert.equal(form.proration_behavior, 'none', 'the difference was paid at the page');
    const smaller = await payments.completeUpgrade({ changeId: newId('sbc'), subscriptionId, tier: 'developer' });
    assert.equal(smaller.tier, 'pro', 'a payment that comes late lowers nothing');
  });

  it('make the configuration of the portal, and mend it where somebody changed it', async () => {
    const CONFIGURATIONS = 'POST /v1/billing_portal/configurations';
    const other = await payments.ensurePortal('bpc_of_another_account');
    const made = formIn(formOf(onlyCall(CONFIGURATIONS).body).features);
    const update = formIn(made.subscription_update);
    assert.deepEqual([update.enabled, update.proration_behavior], ['true', 'always_invoice']);
    assert.deepEqual(
      listIn(update.products).map(({ product, prices }) => [product, Object.values(formIn(prices))]),
      [
        ['prod_price_developer', ['price_developer']],
        ['prod_price_pro', ['price_pro']],
        ['prod_price_business', ['price_business']],
      ],
    );
    assert.equal(await payments.ensurePortal(other), other);
    assert.equal(world.proxy.calls.filter(({ method }) => method === 'POST').length, 1, 'nothing to mend');
    const features = world.proxy.books.get(other ?? '').features as { subscription_update: Record<string, unknown> };
    features.subscription_update.proration_behavior = 'none';
    assert.equal(await payments.ensurePortal(other), other);
    const mended = formIn(formOf(onlyCall(`${CONFIGURATIONS}/${other}`).body).features);
    assert.equal(formIn(mended.subscription_update).proration_behavior, 'always_invoice');
    assert.match(world.logged(), /the portal of Stripe was not configured as it must be/);
    await payments.ensurePortal(other);
    onlyCall(`${CONFIGURATIONS}/${other}`);
  });

  it('for another customer, and for another page of an upgrade, have another key', async () => {
    const request = topUp();
    await payments.openTopUp({ ...request, customerNumber: 2 });
    assert.equal(onlyCall(SESSIONS).idempotencyKey, `${request.topUpId}:customer-2`);
    const [changeId, subscriptionId] = [newId('sbc'), await subscribed('developer')];
    const upgrade = {
      ...customer,
      configurationId,
      changeId,
      subscriptionId,
      tier: 'pro',
      ...pageTerms(inAnHour()),
    } as const;
    for (const attempt of [1, 2]) await payments.openUpgrade({ ...upgrade, attempt });
    const keys = world.proxy.callsTo(PORTAL_PAGES).map(({ idempotencyKey }) => idempotencyKey?.split(':').slice(0, -1));
    assert.deepEqual(keys, [[changeId], [changeId, '2']]);
  });

  it('open a page of the portal once, and again under a configuration that was made meanwhile', async () => {
    const subscriptionId = await subscribed('developer');
    const pages = {
      portal: (of: string | null) =>
        payments.openPortal({ ...customer, ...pageTerms(inAnHour()), portalId: 'prt_remade', configurationId: of }),
      upgrade: (of: string | null) =>
        payments.openUpgrade({
          ...customer,
          ...pageTerms(inAnHour()),
          changeId: 'sbc_remade',
          attempt: 1,
          configurationId: of,
          subscriptionId,
          tier: 'pro',
        }),
    };
    const remade = await payments.ensurePortal('bpc_deleted_by_hand');
    assert.notEqual(remade, configurationId);
    for (const [what, open] of Object.entries(pages)) {
      const { url } = await open(configurationId);
      assert.equal((await open(configurationId)).url, url, what);
      assert.notEqual((await open(remade)).url, url, what);
    }
  });

  const subscribed = async (tier: PaidTier, purchasedSeats = 0): Promise<string> => {
    const page = await payments.openSubscription({
      ...customer,
      changeId: newId('sbc'),
      tier,
      purchasedSeats,
      ...pageTerms(inAnHour()),
    });
    await world.pay(page);
    return (await payments.readCheckout(page.sessionId)).subscriptionId ?? '';
  };
  const changed = (subscriptionId: string, change: SubscriptionChange) =>
    payments.changeSubscription({ key: newId('sbc'), subscriptionId, change });
  const itemsOf = (subscriptionId: string) =>
    (world.proxy.books.get(subscriptionId).items as { data: { price: { id: string }; quantity: number }[] }).data;
  const reprice = (subscriptionId: string, ...prices: string[]): void => {
    for (const [index, item] of itemsOf(subscriptionId).entries()) item.price = { id: prices[index] ?? '' };
  };

  it('read a price that was sold before, sell at the first of its list, and take a downgrade back at what was paid', async () => {
    const id = await subscribed('pro', 2);
    reprice(id, 'price_pro_of_before', 'price_seat_of_before');
    const { tier, purchasedSeats } = await payments.readSubscription(id);
    assert.deepEqual([tier, purchasedSeats], ['pro', 2]);
    await changed(id, { nextTier: 'developer' });
    assert.equal(itemsOf(id)[0]?.price.id, 'price_developer');
    await changed(id, { nextTier: null });
    assert.equal(itemsOf(id)[0]?.price.id, 'price_pro_of_before');
    assert.equal((await changed(id, { purchasedSeats: 3 })).purchasedSeats, 3);
  });

  it('cancel a subscription with prices that no setting names, and refuse what depends on them', async () => {
    const id = await subscribed('pro', 2);
    reprice(id, 'price_unknown', 'price_unknown_too');
    const canceled = await changed(id, { cancelAtPeriodEnd: true, purchasedSeats: 0, nextTier: null });
    assert.deepEqual([canceled.cancelAtPeriodEnd, canceled.tier, canceled.purchasedSeats], [true, null, null]);
    await assert.rejects(changed(id, { purchasedSeats: 3 }), PaymentRefused);
    await assert.rejects(changed(id, { nextTier: 'developer' }), PaymentRefused);
    assert.deepEqual(
      itemsOf(id).map(({ price }) => price.id),
      ['price_unknown', 'price_unknown_too'],
    );
  });

  it('leave nothing of the key, the customer or the pages in the log', async () => {
    world.proxy.faults.push({ how: 402 }, { how: 401 }, { how: 500 }, ...twiceIfClosed({ how: 'drop' }));
    for (let tries = 0; tries < 4; tries += 1) await assert.rejects(payments.openTopUp(topUp()));
    await assert.rejects(payments.openTopUp({ ...topUp(), customerId: 'cus_unknown' }));
    assert(world.logged().length > 0);
    assert.doesNotMatch(world.logged(), /sk_test_|ada@example|whsec_|checkout\.stripe|of the tests\)/);
  });
}
