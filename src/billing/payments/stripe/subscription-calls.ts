import type { Stripe } from 'stripe';
import {
  type HostedPage,
  type PaymentProvider,
  PaymentRefused,
  type SubscriptionChange,
  type SubscriptionState,
} from '../../../context/payment-provider.ts';
import { isLargerTier } from '../../../fields/tiers.ts';
import { metadataOf, openPayment, type StripeParts } from './checkout-calls.ts';
import { keyOfCustomer, keyOfParams } from './client.ts';
import {
  PaidTierMetadata,
  paidPriceOf,
  seatItemOf,
  soldPrice,
  StripeSubscription,
  subscriptionStateOf,
  type TierItem,
  tierItemOf,
} from './subscription.ts';

type Subscriptions = Pick<
  PaymentProvider,
  'completeUpgrade' | 'openUpgrade' | 'readSubscription' | 'changeSubscription' | 'openPortal'
>;

/** Stripe takes no payment of less than half a dollar. */
const MIN_CENTS = 50;

export function stripeSubscriptions({ stripe, call, prices }: StripeParts): Subscriptions {
  const find = async (id: string): Promise<StripeSubscription> =>
    StripeSubscription.parse(await call('subscriptions.retrieve', () => stripe.subscriptions.retrieve(id)));

  const update = async (
    id: string,
    { key, params }: { key: string; params: Stripe.SubscriptionUpdateParams },
  ): Promise<StripeSubscription> => {
    const idempotencyKey = keyOfParams(key, params);
    return StripeSubscription.parse(
      await call('subscriptions.update', () => stripe.subscriptions.update(id, params, { idempotencyKey })),
    );
  };

  /** One change after the other, each only while it is not made, so that a call made again goes on where the first one ended. */
  const change = async (
    key: string,
    found: StripeSubscription,
    wanted: SubscriptionChange,
  ): Promise<StripeSubscription> => {
    let subscription = found;
    // Cancelling first: nothing that is refused about the rest keeps it from Stripe.
    for (const paramsOf of [cancelParams, seatsParams, tierParams]) {
      const params = paramsOf({ subscription, state: subscriptionStateOf(subscription, prices), prices }, wanted);
      if (params !== null) subscription = await update(subscription.id, { key, params });
    }
    return subscription;
  };

  /**
   * The portal confirms nothing for a subscription of several items, and an invoice would charge the saved card with nobody looking. So
   * a person pays the difference for the rest of the period at a checkout, and `completeUpgrade` follows.
   */
  const openDifference = async (
    { changeId, attempt, subscriptionId, tier, ...page }: Parameters<PaymentProvider['openUpgrade']>[0],
    subscription: StripeSubscription,
  ): Promise<HostedPage> => {
    const { customerId, expiresAt, seconds } = page;
    const key = attempt === 1 ? changeId : `${changeId}:${attempt}`;
    if (attempt > 1) await closeCheckouts(customerId, { of: changeId, but: key });
    const preview = await call('invoices.createPreview', () =>
      stripe.invoices.createPreview({
        subscription: subscriptionId,
        subscription_details: {
          items: [{ id: knownTierItem(subscription, prices).itemId, price: soldPrice(prices, tier) }],
          proration_behavior: 'always_invoice',
          // When the page was asked for: the same sum, and so the same request, with each try.
          proration_date: Math.floor(expiresAt.getTime() / 1_000) - seconds,
        },
      }),
    );
    return openPayment(
      { stripe, call },
      {
        ...page,
        key,
        metadata: metadataOf({
          purpose: 'subscription',
          reference: changeId,
          operator: subscription.metadata?.carnet_operator ?? '',
        }),
        amountCents: Math.max(preview.amount_due, MIN_CENTS),
        title: `Carnet ${tier} instead of the tier until now, for the rest of the period`,
      },
    );
  };

  /** A page that is opened again takes the place of the one before: nobody shall pay twice. */
  const closeCheckouts = async (customer: string, { of, but }: { of: string; but: string }): Promise<void> => {
    const params = { customer, status: 'open', limit: 100 } as const;
    const { data } = await call('checkout.sessions.list', () => stripe.checkout.sessions.list(params));
    for (const { id, client_reference_id: key } of data)
      if (key !== but && (key === of || key?.startsWith(`${of}:`) === true))
        await call('checkout.sessions.expire', () => stripe.checkout.sessions.expire(id));
  };

  /**
   * A page of the portal. A try whose answer was lost may have named a configuration, an item or a price that is another by now: then
   * it is another request, and two pages do no harm, since each shows the subscription as it is.
   */
  const openPage = (
    key: string,
    params: Stripe.BillingPortal.SessionCreateParams,
  ): Promise<Stripe.BillingPortal.Session> => {
    const idempotencyKey = keyOfParams(key, params);
    return call('billingPortal.sessions.create', () =>
      stripe.billingPortal.sessions.create(params, { idempotencyKey }),
    );
  };

  return {
    async openUpgrade(request) {
      const { changeId, attempt, configurationId, customerId, customerNumber, subscriptionId, tier, returnTo } =
        request;
      const returnUrl = pageOf(returnTo);
      const found = await find(subscriptionId);
      assertRuns(found, prices);
      const subscription = await change(changeId, found, { nextTier: null });
      const { itemId } = knownTierItem(subscription, prices);
      if (subscription.items.data.length > 1) return openDifference(request, subscription);
      const session = await openPage(
        keyOfCustomer(attempt === 1 ? changeId : `${changeId}:${attempt}`, customerNumber),
        {
          customer: customerId,
          ...inPortal(configurationId),
          return_url: returnUrl,
          flow_data: {
            type: 'subscription_update_confirm',
            subscription_update_confirm: {
              subscription: subscriptionId,
              items: [{ id: itemId, price: soldPrice(prices, tier), quantity: 1 }],
            },
            after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
          },
        },
      );
      return { sessionId: session.id, url: session.url };
    },

    async completeUpgrade({ changeId, subscriptionId, tier }) {
      const found = await find(subscriptionId);
      const { itemId, tier: has } = knownTierItem(found, prices);
      if (has !== null && !isLargerTier(tier, has)) return subscriptionStateOf(found, prices);
      const items = [{ id: itemId, price: soldPrice(prices, tier) }];
      return subscriptionStateOf(
        await update(subscriptionId, { key: changeId, params: { items, proration_behavior: 'none' } }),
        prices,
      );
    },

    readSubscription: async (subscriptionId) => subscriptionStateOf(await find(subscriptionId), prices),

    async changeSubscription({ key, subscriptionId, change: wanted }) {
      const found = await find(subscriptionId);
      assertRuns(found, prices);
      return subscriptionStateOf(await change(key, found, wanted), prices);
    },

    async openPortal({ portalId, customerId, customerNumber, configurationId, returnTo }) {
      const { url } = await openPage(keyOfCustomer(portalId, customerNumber), {
        customer: customerId,
        ...inPortal(configurationId),
        return_url: pageOf(returnTo),
      });
      return { url };
    },
  };
}

const inPortal = (configurationId: string | null): { configuration?: string } =>
  configurationId === null ? {} : { configuration: configurationId };

/** The page of the service that the provider's pages lead back to. */
const pageOf = (returnTo: string): string => `${returnTo}/dashboard`;

/** Returns what Stripe is to be sent; null where it is so already. */
type ParamsOf = (
  at: { subscription: StripeSubscription; state: SubscriptionState; prices: StripeParts['prices'] },
  wanted: SubscriptionChange,
) => Stripe.SubscriptionUpdateParams | null;

/** @throws PaymentRefused */
function assertRuns(subscription: StripeSubscription, prices: StripeParts['prices']): void {
  if (subscriptionStateOf(subscription, prices).status === 'canceled')
    throw new PaymentRefused(`The subscription ${subscription.id} has ended.`);
}

/** Prorated on the next invoice, since seats take effect immediately. */
const seatsParams: ParamsOf = ({ subscription, state, prices }, { purchasedSeats: quantity }) => {
  const { purchasedSeats: has } = state;
  if (quantity === undefined || quantity === (has ?? 0)) return null;
  if (has === null) throw unknownPrice(subscription.id);
  const item = seatItemOf(subscription, prices);
  const proration_behavior = 'create_prorations';
  if (item === undefined) return { items: [{ price: soldPrice(prices, 'seat'), quantity }], proration_behavior };
  return { items: [quantity === 0 ? { id: item.id, deleted: true } : { id: item.id, quantity }], proration_behavior };
};

/**
 * A downgrade lowers the price immediately and credits nothing, so that the next invoice is the lower one, and notes on the subscription which
 * tier is paid for until then. One call does it and one takes it back; a subscription schedule takes three, and keeps the portal and
 * the cancellation from working meanwhile.
 */
const tierParams: ParamsOf = ({ subscription, state, prices }, { nextTier: wanted }) => {
  const { tier, nextTier, currentPeriodEnd } = state;
  const next = wanted === tier ? null : wanted;
  if (next === undefined || next === nextTier) return null;
  const { itemId: id, priceId } = knownTierItem(subscription, prices);
  if (tier === null) throw unknownPrice(subscription.id);
  const paid = nextTier === null ? priceId : paidPriceOf(subscription, tier, prices);
  const kept =
    next === null
      ? { tier: '', until: '', price: '' }
      : { tier, until: String(currentPeriodEnd.getTime() / 1_000), price: paid };
  return {
    items: [{ id, price: next === null ? paid : soldPrice(prices, next) }],
    proration_behavior: 'none',
    metadata: {
      [PaidTierMetadata.tier]: kept.tier,
      [PaidTierMetadata.until]: kept.until,
      [PaidTierMetadata.price]: kept.price,
    },
  };
};

/** @throws PaymentRefused where none of its items is surely the tier */
function knownTierItem(subscription: StripeSubscription, prices: StripeParts['prices']): TierItem {
  const item = tierItemOf(subscription, prices);
  if (item === undefined) throw unknownPrice(subscription.id);
  return item;
}

const unknownPrice = (subscriptionId: string): PaymentRefused =>
  new PaymentRefused(`The subscription ${subscriptionId} has a price that no STRIPE_PRICE_ setting names.`);

const cancelParams: ParamsOf = ({ subscription, state }, { cancelAtPeriodEnd: wanted }) => {
  if (wanted === undefined || wanted === state.cancelAtPeriodEnd) return null;
  return wanted || subscription.cancel_at_period_end === true ? { cancel_at_period_end: wanted } : { cancel_at: '' };
};
