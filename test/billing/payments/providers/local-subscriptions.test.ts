import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { readPaymentWebhook } from '../../../../src/billing/webhook/verify.ts';
import type { PaidTier } from '../../../../src/fields/tiers.ts';
import { newId, type OperatorId } from '../../../../src/ids/ids.ts';
import { endLocalPeriod, openLocalPage, payLocally, settleLocally } from '../../../support/local-payments.ts';
import { meetAtRow, openLocalWorld, type LocalWorld } from './local-world.ts';
import type { Customer } from '../../../../src/context/payment-provider.ts';
import { pageTerms } from './provider-worlds.ts';

describe('subscriptions of the local payment provider', () => {
  let world: LocalWorld;
  let customer: { operatorId: OperatorId } & Customer;

  before(async () => {
    world = await openLocalWorld();
  });
  after(() => world.close());
  beforeEach(async () => {
    customer = await world.newCustomer();
    world.receiver.received.length = 0;
  });

  const inADay = (): Date => new Date(Date.now() + 86_400_000);

  const openCheckoutPage = async (tier: PaidTier, purchasedSeats: number) => {
    const changeId = newId('sbc');
    const page = await world.payments.openSubscription({
      ...customer,
      changeId,
      tier,
      purchasedSeats,
      ...pageTerms(inADay()),
    });
    return { changeId, sessionId: page.sessionId, url: world.at(page.url) };
  };

  const subscribed = async (tier: PaidTier, purchasedSeats = 0): Promise<string> => {
    const { sessionId, url } = await openCheckoutPage(tier, purchasedSeats);
    await payLocally(url);
    world.receiver.received.length = 0;
    return (await world.payments.readCheckout(sessionId)).subscriptionId ?? '';
  };

  const receivedEvents = () => {
    const { payments } = world.shell.context.config;
    assert(payments);
    return world.receiver.received.map(({ body, signature }) => readPaymentWebhook(payments, body, signature));
  };

  it('begin with the three events that Stripe sends, the subscription as the provider has it', async () => {
    const { changeId, sessionId, url } = await openCheckoutPage('pro', 2);
    await payLocally(url);
    const [checkout, subscription, invoice, ...more] = receivedEvents();
    assert.deepEqual(more, []);
    assert(checkout?.kind === 'checkout' && subscription?.kind === 'subscription' && invoice?.kind === 'invoice_paid');
    const { subscriptionId } = await world.payments.readCheckout(sessionId);
    assert.deepEqual(
      [checkout.outcome, checkout.purpose, checkout.reference, invoice.subscriptionId],
      ['paid', 'subscription', changeId, subscriptionId],
    );
    assert.equal(subscription.operatorId, customer.operatorId);
    assert.deepEqual(
      subscription.state,
      await world.payments.readSubscription(subscriptionId ?? ''),
      'its period too, although events carry whole seconds',
    );
  });

  it('send subscription and invoice events for an upgrade, and a checkout event for one that failed', async () => {
    const subscriptionId = await subscribed('developer');
    const upgrade = async () => {
      const page = await world.payments.openUpgrade({
        ...customer,
        changeId: newId('sbc'),
        attempt: 1,
        configurationId: null,
        subscriptionId,
        tier: 'pro',
        ...pageTerms(inADay()),
      });
      return world.at(page.url);
    };
    await settleLocally(await upgrade(), 'failed');
    assert.deepEqual(
      receivedEvents().map((event) => event.kind === 'checkout' && event.outcome),
      ['failed'],
    );
    assert.equal((await world.payments.readSubscription(subscriptionId)).tier, 'developer');
    world.receiver.received.length = 0;
    await payLocally(await upgrade());
    assert.deepEqual(
      receivedEvents().map((event) => (event.kind === 'subscription' ? event.state.tier : event.kind)),
      ['pro', 'invoice_paid'],
    );
  });

  it('cannot be upgraded once they have ended: nothing is paid, and the checkout is over', async () => {
    const subscriptionId = await subscribed('developer');
    await world.payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { cancelAtPeriodEnd: true } });
    const page = await world.payments.openUpgrade({
      ...customer,
      changeId: newId('sbc'),
      attempt: 1,
      configurationId: null,
      subscriptionId,
      tier: 'pro',
      ...pageTerms(inADay()),
    });
    await endLocalPeriod(world.shell.context.pool, subscriptionId);
    await payLocally(world.at(page.url));
    assert.deepEqual(
      receivedEvents().map((event) => event.kind === 'checkout' && event.outcome),
      ['expired'],
    );
    const { status, paymentId } = await world.payments.readCheckout(page.sessionId);
    assert.deepEqual([status, paymentId], ['expired', null]);
    const { status: standing, tier } = await world.payments.readSubscription(subscriptionId);
    assert.deepEqual([standing, tier], ['canceled', 'developer']);
  });

  it('end each period on the day of the month they were bought, or on the last day of a shorter month, and return to that day', async () => {
    const { pool } = world.shell.context;
    const subscriptionId = await subscribed('pro');
    await pool.query(sql.type(z.object({}))`
      update local_subscriptions set started_at = '2026-01-31 10:00Z', period_start = '2026-01-31 10:00Z', period_end = '2026-02-28 10:00Z'
      where id = ${subscriptionId}`);
    const paid = async (): Promise<readonly string[]> => {
      await world.payments.readSubscription(subscriptionId);
      return pool.anyFirst(sql.type(z.object({ day: z.string() }))`
        select to_char(created_at, 'MM-DD') as day from local_payments where subscription_id = ${subscriptionId} and checkout_id is null
        order by created_at limit 4`);
    };
    assert.deepEqual(await paid(), ['02-28', '03-31', '04-30', '05-31']);
    assert.deepEqual(await paid(), ['02-28', '03-31', '04-30', '05-31']);
    const { currentPeriodStart, currentPeriodEnd } = await world.payments.readSubscription(subscriptionId);
    assert(currentPeriodStart <= new Date() && new Date() < currentPeriodEnd);
  });

  it('renew once, however many read at the same time', async () => {
    const { pool } = world.shell.context;
    const subscriptionId = await subscribed('pro', 1);
    await endLocalPeriod(pool, subscriptionId);
    const readMany = () => Array.from({ length: 8 }, () => world.payments.readSubscription(subscriptionId));
    await meetAtRow('local_subscriptions', subscriptionId, readMany);
    const amounts = await pool.anyFirst(sql.type(z.object({ amount_cents: z.number() }))`
      select amount_cents from local_payments where subscription_id = ${subscriptionId} order by created_at`);
    assert.deepEqual(amounts, [11_000, 11_000]);
  });

  describe('at the portal', () => {
    const portal = async () => {
      const { url } = await world.payments.openPortal({
        portalId: newId('prt'),
        ...customer,
        returnTo: 'http://carnet.test',
        configurationId: null,
      });
      return openLocalPage(world.at(url));
    };

    it('nothing yet', async () => {
      const { status, text } = await portal();
      assert.equal(status, 200);
      assert.match(text, /<p class="empty">None\.<\/p>/);
      assert.match(text, /None yet/);
    });

    it('tier, seats and every payment with its receipt', async () => {
      const subscriptionId = await subscribed('pro', 1);
      await endLocalPeriod(world.shell.context.pool, subscriptionId);
      const { text } = await portal();
      assert.match(text, /<dd>pro<\/dd>\n<dt>Renews<\/dt><dd><time[^\n]*\n<dt>Seats bought<\/dt><dd>1,/);
      const receipts = [...text.matchAll(/href="([^"]+)">Receipt/g)].map(([, path]) => path ?? '');
      assert.equal(receipts.length, 2);
      for (const path of receipts) {
        const receipt = await openLocalPage(world.shell.baseUrl + path);
        assert.equal(receipt.status, 200);
        assert.match(receipt.text, /\$110\.00/);
      }
    });

    for (const [what, change, words] of [
      ['its end', { cancelAtPeriodEnd: true }, /<dt>Ends<\/dt><dd><time/],
      ['a planned downgrade', { nextTier: 'developer' }, /<dt>Becomes developer<\/dt><dd><time/],
    ] as const) {
      it(what, async () => {
        const subscriptionId = await subscribed('pro');
        await world.payments.changeSubscription({ key: newId('sbc'), subscriptionId, change });
        assert.match((await portal()).text, words);
      });
    }

    it('what was refunded of a payment', async () => {
      const page = await world.payments.openTopUp({
        ...customer,
        topUpId: newId('top'),
        amountCents: 2_500,
        ...pageTerms(inADay()),
      });
      await payLocally(world.at(page.url));
      const { paymentId, receiptUrl } = await world.payments.readCheckout(page.sessionId);
      await world.payments.refund({
        key: `refund:${newId('txn')}`,
        tries: 1,
        paymentId: paymentId ?? '',
        amountCents: 2_500,
      });
      assert.match(
        (await openLocalPage(world.at(receiptUrl ?? ''))).text,
        /<dt>Refunded<\/dt><dd class="amount">\$25\.00/,
      );
    });

    it('for an hour, and not under another address', async () => {
      const { url } = await world.payments.openPortal({
        portalId: newId('prt'),
        ...customer,
        returnTo: 'http://carnet.test',
        configurationId: null,
      });
      const address = world.at(url);
      assert.equal((await openLocalPage(address)).status, 200);
      assert.equal((await openLocalPage(`${address}x`)).status, 404);
      await world.shell.context.pool.query(sql.type(
        z.object({}),
      )`update local_portals set created_at = now() - interval '61 minutes'
        where customer_id = ${customer.customerId}`);
      assert.equal((await openLocalPage(address)).status, 404);
    });
  });
});
