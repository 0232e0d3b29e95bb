import type { PaidTier } from '../../../../src/fields/tiers.ts';
import assert from 'node:assert/strict';
import {
  CustomerUnknown,
  PaymentRefused,
  type Customer,
  type HostedPage,
  type PaymentProvider,
} from '../../../../src/context/payment-provider.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { stripeMock } from '../../../support/stripe-mock.ts';
import { openLocalProvider, openStripeProvider, pageTerms, type ProviderWorld } from './provider-worlds.ts';

/** The promises of the port (src/billing/payments/provider.ts), checked for every provider. */
const promises = (name: string, openWorld: () => Promise<ProviderWorld>): Mocha.Suite =>
  describe(`the payment provider ${name}`, () => {
    let world: ProviderWorld;
    let payments: PaymentProvider;
    let configurationId: string | null;
    let customer: { operatorId: string } & Customer;

    before(async () => {
      world = await openWorld();
      ({ payments } = world);
      configurationId = await payments.ensurePortal(null);
    });
    after(() => world.close());
    beforeEach(async () => {
      customer = await world.newCustomer();
    });

    /** Computed when it is called: files are loaded long before their cases run. */
    const inHalfAnHour = (): Date => new Date(Date.now() + 1_800_000);
    const topUp = (over: Partial<Parameters<PaymentProvider['openTopUp']>[0]> = {}) => ({
      ...customer,
      topUpId: newId('top') as string,
      amountCents: 2_500,
      ...pageTerms(inHalfAnHour()),
      ...over,
    });
    const paidTopUp = async (amountCents = 2_500): Promise<{ page: HostedPage; paymentId: string }> => {
      const page = await payments.openTopUp(topUp({ amountCents }));
      await world.pay(page);
      const { paymentId } = await payments.readCheckout(page.sessionId);
      return { page, paymentId: paymentId ?? '' };
    };
    const subscribed = async (tier: PaidTier = 'pro', purchasedSeats = 0): Promise<string> => {
      const page = await payments.openSubscription({
        ...customer,
        changeId: newId('sbc'),
        tier,
        purchasedSeats,
        ...pageTerms(inHalfAnHour()),
      });
      await world.pay(page);
      return (await payments.readCheckout(page.sessionId)).subscriptionId ?? '';
    };
    const refused = (call: Promise<unknown>, as: typeof PaymentRefused = PaymentRefused) => assert.rejects(call, as);

    it('has one customer for each operator', async () => {
      const { operatorId, customerId } = await world.newCustomer();
      assert.notEqual(customerId, customer.customerId);
      const again = await payments.ensureCustomer({
        operatorId: customer.operatorId,
        name: 'Ada',
        email: 'ada@example.test',
        customerNumber: 1,
      });
      const twice = await payments.ensureCustomer({
        operatorId: customer.operatorId,
        name: 'Ada',
        email: 'ada@example.test',
        customerNumber: 1,
      });
      assert.deepEqual(again, twice);
      assert.notEqual(operatorId, customer.operatorId);
    });

    it('has another customer under another number, for whom a page is another one', async () => {
      const ada = { operatorId: customer.operatorId, name: 'Ada', email: 'ada@example.test', customerNumber: 2 };
      const next = await payments.ensureCustomer(ada);
      assert.equal(next.customerNumber, 2);
      const request = topUp();
      await payments.openTopUp(request);
      const { sessionId } = await payments.openTopUp({ ...request, ...next });
      assert.equal((await payments.readCheckout(sessionId)).status, 'open');
    });

    it('opens one checkout for a top-up, however often it is called, also in parallel', async () => {
      const request = topUp();
      const pages = await Promise.all([
        payments.openTopUp(request),
        payments.openTopUp(request),
        payments.openTopUp(request),
      ]);
      pages.push(await payments.openTopUp(request));
      for (const page of pages) assert.deepEqual(page, pages[0]);
      assert.notEqual((await payments.openTopUp(topUp())).sessionId, pages[0]?.sessionId);
    });

    it('refuses a key for another request, and customers it does not know', async () => {
      const request = topUp();
      await payments.openTopUp(request);
      await refused(payments.openTopUp({ ...request, amountCents: 2_501 }));
      await refused(payments.openTopUp(topUp({ customerId: 'cus_unknown' })), CustomerUnknown);
    });

    it('returns the state of a checkout', async () => {
      const page = await payments.openTopUp(topUp());
      const open = await payments.readCheckout(page.sessionId);
      assert.deepEqual(
        [open.status, open.amountCents, open.currency, open.paymentId, open.receiptUrl],
        ['open', 2_500, 'usd', null, null],
      );
      await world.pay(page);
      const paid = await payments.readCheckout(page.sessionId);
      assert.deepEqual(
        [paid.status, paid.amountCents, paid.currency, paid.subscriptionId],
        ['paid', 2_500, 'usd', null],
      );
      assert(paid.paymentId);
      assert.match(paid.receiptUrl ?? '', /^https?:\/\//);
    });

    it('closes a checkout that was given up, also twice', async () => {
      const { sessionId } = await payments.openTopUp(topUp());
      await payments.expireCheckout(sessionId);
      await payments.expireCheckout(sessionId);
      assert.equal((await payments.readCheckout(sessionId)).status, 'expired');
    });

    it('leaves a paid checkout paid', async () => {
      const { page } = await paidTopUp();
      await payments.expireCheckout(page.sessionId);
      assert.equal((await payments.readCheckout(page.sessionId)).status, 'paid');
    });

    it('refunds once under a key, and lists it', async () => {
      const { paymentId } = await paidTopUp();
      const request = { key: `refund:${newId('txn')}`, tries: 1, paymentId, amountCents: 2_500 };
      const first = await payments.refund(request);
      assert.deepEqual(await payments.refund(request), first);
      const [listed, ...more] = await payments.listRefunds(paymentId);
      const { key, amountCents } = request;
      assert.deepEqual(
        [{ ...listed, madeAt: Math.abs(Date.now() - Number(listed?.madeAt)) < 60_000 }, more],
        [{ ...first, amountCents, key, status: 'succeeded', madeAt: true }, []],
      );
    });

    it('refunds no more than was paid', async () => {
      const { paymentId } = await paidTopUp();
      await payments.refund({ key: `refund:${newId('txn')}`, tries: 1, paymentId, amountCents: 2_000 });
      await refused(payments.refund({ key: `refund:${newId('txn')}`, tries: 1, paymentId, amountCents: 501 }));
      await refused(
        payments.refund({ key: `refund:${newId('txn')}`, tries: 1, paymentId: 'pi_unknown', amountCents: 1 }),
      );
    });

    it('begins a subscription when it is paid', async () => {
      const page = await payments.openSubscription({
        ...customer,
        changeId: newId('sbc'),
        tier: 'developer',
        purchasedSeats: 2,
        ...pageTerms(inHalfAnHour()),
      });
      assert.equal((await payments.readCheckout(page.sessionId)).subscriptionId, null);
      await world.pay(page);
      const { status, subscriptionId } = await payments.readCheckout(page.sessionId);
      assert.equal(status, 'paid');
      const { currentPeriodStart, currentPeriodEnd, ...state } = await payments.readSubscription(subscriptionId ?? '');
      assert.deepEqual(state, {
        subscriptionId,
        customerId: customer.customerId,
        status: 'active',
        tier: 'developer',
        purchasedSeats: 2,
        cancelAtPeriodEnd: false,
        nextTier: null,
      });
      const days = (currentPeriodEnd.getTime() - currentPeriodStart.getTime()) / 86_400_000;
      assert(days >= 28 && days <= 31, `a period of ${days} days`);
    });

    it('changes seats, up and down to none', async () => {
      const subscriptionId = await subscribed('pro');
      for (const purchasedSeats of [3, 1, 0, 0]) {
        const changed = await payments.changeSubscription({
          key: newId('sbc'),
          subscriptionId,
          change: { purchasedSeats },
        });
        assert.equal(changed.purchasedSeats, purchasedSeats);
        assert.deepEqual(await payments.readSubscription(subscriptionId), changed);
      }
    });

    it('cancels at the end of the period, and takes that back', async () => {
      const subscriptionId = await subscribed();
      const change = { key: newId('sbc'), subscriptionId, change: { cancelAtPeriodEnd: true } };
      const canceling = await payments.changeSubscription(change);
      assert.deepEqual([canceling.status, canceling.cancelAtPeriodEnd], ['active', true]);
      assert.deepEqual(await payments.changeSubscription(change), canceling);
      const back = await payments.changeSubscription({
        key: newId('sbc'),
        subscriptionId,
        change: { cancelAtPeriodEnd: false },
      });
      assert.equal(back.cancelAtPeriodEnd, false);
    });

    it('ends a canceled subscription at the end of its period, and does not change it any more', async () => {
      const subscriptionId = await subscribed();
      await payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { cancelAtPeriodEnd: true } });
      await world.endPeriod(subscriptionId);
      assert.equal((await payments.readSubscription(subscriptionId)).status, 'canceled');
      await refused(
        payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { cancelAtPeriodEnd: false } }),
      );
    });

    it('renews with every period', async () => {
      const subscriptionId = await subscribed('pro', 1);
      const before = await payments.readSubscription(subscriptionId);
      await world.endPeriod(subscriptionId);
      const after = await payments.readSubscription(subscriptionId);
      assert.deepEqual([after.status, after.tier, after.purchasedSeats], ['active', 'pro', 1]);
      assert.notDeepEqual(after.currentPeriodStart, before.currentPeriodStart);
      assert(after.currentPeriodStart < after.currentPeriodEnd);
    });

    it('lowers the tier with the next period, not before', async () => {
      const subscriptionId = await subscribed('business', 2);
      const planned = await payments.changeSubscription({
        key: newId('sbc'),
        subscriptionId,
        change: { nextTier: 'developer' },
      });
      assert.deepEqual([planned.tier, planned.nextTier, planned.purchasedSeats], ['business', 'developer', 2]);
      await world.endPeriod(subscriptionId);
      const lowered = await payments.readSubscription(subscriptionId);
      assert.deepEqual([lowered.tier, lowered.nextTier, lowered.purchasedSeats], ['developer', null, 2]);
    });

    it('takes a planned downgrade back', async () => {
      const subscriptionId = await subscribed('business');
      await payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { nextTier: 'pro' } });
      const back = await payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { nextTier: null } });
      assert.deepEqual([back.tier, back.nextTier], ['business', null]);
      await world.endPeriod(subscriptionId);
      assert.equal((await payments.readSubscription(subscriptionId)).tier, 'business');
    });

    for (const seats of [0, 4]) {
      it(`upgrades when the upgrade is confirmed and paid, with ${seats} seats bought`, async () => {
        const subscriptionId = await subscribed('developer', seats);
        const request = {
          ...customer,
          changeId: newId('sbc'),
          attempt: 1,
          configurationId,
          subscriptionId,
          tier: 'business',
          ...pageTerms(inHalfAnHour()),
        } as const;
        const page = await payments.openUpgrade(request);
        assert.deepEqual(await payments.openUpgrade(request), page);
        assert.equal((await payments.readSubscription(subscriptionId)).tier, 'developer');
        await world.confirmUpgrade(page);
        await payments.completeUpgrade(request);
        const { tier, purchasedSeats } = await payments.readSubscription(subscriptionId);
        assert.deepEqual([tier, purchasedSeats], ['business', seats]);
      });

      it(`opens the page of an upgrade again, with ${seats} seats bought`, async () => {
        const subscriptionId = await subscribed('developer', seats);
        const request = { ...customer, changeId: newId('sbc'), subscriptionId, tier: 'pro' } as const;
        await payments.openUpgrade({ ...request, configurationId, attempt: 1, ...pageTerms(inHalfAnHour()) });
        const again = { ...request, configurationId, attempt: 2, ...pageTerms(inHalfAnHour()) };
        const page = await payments.openUpgrade(again);
        assert.deepEqual(await payments.openUpgrade(again), page);
        await world.confirmUpgrade(page);
        await payments.completeUpgrade(request);
        assert.equal((await payments.readSubscription(subscriptionId)).tier, 'pro');
      });

      it(`takes a planned downgrade back where an upgrade is requested, with ${seats} seats bought`, async () => {
        const subscriptionId = await subscribed('pro', seats);
        await payments.changeSubscription({ key: newId('sbc'), subscriptionId, change: { nextTier: 'developer' } });
        const page = await payments.openUpgrade({
          ...customer,
          changeId: newId('sbc'),
          attempt: 1,
          configurationId,
          subscriptionId,
          tier: 'business',
          ...pageTerms(inHalfAnHour()),
        });
        const { tier, nextTier } = await payments.readSubscription(subscriptionId);
        assert.deepEqual([tier, nextTier], ['pro', null]);
        await payments.expireCheckout(page.sessionId);
        assert.equal((await payments.readSubscription(subscriptionId)).tier, 'pro');
      });
    }

    it('has one configuration of its portal, which it makes again where it is gone', async () => {
      assert.equal(await payments.ensurePortal(configurationId), configurationId);
      const other = await payments.ensurePortal('bpc_unknown');
      assert.equal(await payments.ensurePortal(other), other);
    });

    it('opens one portal page under a key', async () => {
      const { operatorId: _operatorId, ...who } = customer;
      const request = { portalId: newId('prt'), ...who, configurationId, returnTo: 'http://carnet.test' };
      const { url } = await payments.openPortal(request);
      assert.match(url, /^https?:\/\//);
      assert.deepEqual(await payments.openPortal(request), { url });
      await refused(
        payments.openPortal({ ...request, portalId: newId('prt'), customerId: 'cus_unknown' }),
        CustomerUnknown,
      );
    });

    it('transfers once under a key', async () => {
      const request = {
        key: `payout:${customer.operatorId}:2026-11`,
        tries: 1,
        operatorId: customer.operatorId,
        account: 'acct_1234',
        amountCents: 5_000,
      };
      const first = await payments.transfer(request);
      assert.deepEqual(await payments.transfer(request), first);
      await refused(payments.transfer({ ...request, amountCents: 5_001 }));
      assert.notDeepEqual(await payments.transfer({ ...request, key: `payout:${customer.operatorId}:2026-12` }), first);
    });

    it('refuses what it does not know', async () => {
      await refused(payments.readCheckout('cs_test_unknown'));
      await refused(payments.expireCheckout('cs_test_unknown'));
      await refused(payments.listRefunds('pi_unknown'));
      await refused(payments.readSubscription('sub_unknown'));
      await refused(
        payments.changeSubscription({
          key: newId('sbc'),
          subscriptionId: 'sub_unknown',
          change: { purchasedSeats: 1 },
        }),
      );
      await refused(
        payments.openUpgrade({
          ...customer,
          changeId: newId('sbc'),
          attempt: 1,
          configurationId,
          subscriptionId: 'sub_unknown',
          tier: 'pro',
          ...pageTerms(inHalfAnHour()),
        }),
      );
    });
  });

promises('of this machine', openLocalProvider);

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: the calls to Stripe, by its SDK against its own OpenAPI; ${found.missing}.\n`);
else promises('Stripe', () => openStripeProvider(found.program));
