import {
  PaidTierMetadata,
  type PaymentProvider,
  PaymentRefused,
  StripeSubscription,
  type SubscriptionChange,
  type SubscriptionState,
  seatItemOf,
  subscriptionStateOf,
  tierItemOf,
} from '../../src/billing/index.ts';
import type { PaidTier } from '../../src/fields/tiers.ts';
import type { Stripe } from 'stripe';
import type { StripeParts } from './stripe-checkouts.ts';
import { keyOfParams } from './stripe-client.ts';

type Subscriptions = Pick<PaymentProvider, 'openUpgrade' | 'readSubscription' | 'changeSubscription' | 'openPortal'>;

export function stripeSubscriptions({ stripe, call, config, prices }: StripeParts): Subscriptions {
  const returnUrl = `${config.publicBaseUrl}/dashboard`;

  const find = async (id: string): Promise<StripeSubscription> =>
    StripeSubscription.parse(await call('subscriptions.retrieve', () => stripe.subscriptions.retrieve(id)));

  const update = async (
    id: string,
    key: string,
    params: Stripe.SubscriptionUpdateParams,
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
    for (const paramsOf of [seatsParams, tierParams, cancelParams]) {
      const params = paramsOf(subscription, subscriptionStateOf(subscription, prices), wanted, prices);
      if (params !== null) subscription = await update(subscription.id, key, params);
    }
    return subscription;
  };

  /** The proration is invoiced at once, and the upgrade waits for its payment: for subscriptions of several items the portal confirms nothing. */
  const openInvoice = async (changeId: string, subscriptionId: string, itemId: string, tier: PaidTier) => {
    const { latest_invoice: invoice } = await call('subscriptions.update', () =>
      stripe.subscriptions.update(
        subscriptionId,
        {
          items: [{ id: itemId, price: prices[tier] }],
          payment_behavior: 'pending_if_incomplete',
          proration_behavior: 'always_invoice',
          expand: ['latest_invoice'],
        },
        { idempotencyKey: changeId },
      ),
    );
    if (invoice === null || typeof invoice === 'string' || typeof invoice.hosted_invoice_url !== 'string') {
      throw new Error(`Stripe gave no invoice with the upgrade ${changeId}.`);
    }
    return { sessionId: invoice.id, url: invoice.hosted_invoice_url };
  };

  return {
    async openUpgrade({ changeId, customerId, subscriptionId, tier }) {
      const subscription = await change(changeId, await find(subscriptionId), { nextTier: null });
      const { itemId } = tierItemOf(subscription, prices);
      if (subscription.items.data.length > 1) return openInvoice(changeId, subscriptionId, itemId, tier);
      const session = await call('billingPortal.sessions.create', () =>
        stripe.billingPortal.sessions.create(
          {
            customer: customerId,
            return_url: returnUrl,
            flow_data: {
              type: 'subscription_update_confirm',
              subscription_update_confirm: {
                subscription: subscriptionId,
                items: [{ id: itemId, price: prices[tier], quantity: 1 }],
              },
              after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
            },
          },
          { idempotencyKey: changeId },
        ),
      );
      return { sessionId: session.id, url: session.url };
    },

    readSubscription: async (subscriptionId) => subscriptionStateOf(await find(subscriptionId), prices),

    async changeSubscription({ key, subscriptionId, change: wanted }) {
      const found = await find(subscriptionId);
      if (subscriptionStateOf(found, prices).status === 'canceled')
        throw new PaymentRefused(`The subscription ${subscriptionId} has ended.`);
      return subscriptionStateOf(await change(key, found, wanted), prices);
    },

    async openPortal({ portalId, customerId }) {
      const { url } = await call('billingPortal.sessions.create', () =>
        stripe.billingPortal.sessions.create(
          { customer: customerId, return_url: returnUrl },
          { idempotencyKey: portalId },
        ),
      );
      return { url };
    },
  };
}

/** What Stripe is to be sent; null where it is so already. */
type ParamsOf = (
  subscription: StripeSubscription,
  state: SubscriptionState,
  wanted: SubscriptionChange,
  prices: StripeParts['prices'],
) => Stripe.SubscriptionUpdateParams | null;

/** Prorated on the next invoice, since seats take effect at once. */
const seatsParams: ParamsOf = (subscription, { purchasedSeats: has }, { purchasedSeats: quantity }, prices) => {
  if (quantity === undefined || quantity === has) return null;
  const item = seatItemOf(subscription, prices);
  const proration_behavior = 'create_prorations';
  if (item === undefined) return { items: [{ price: prices.seat, quantity }], proration_behavior };
  return { items: [quantity === 0 ? { id: item.id, deleted: true } : { id: item.id, quantity }], proration_behavior };
};

/**
 * A downgrade lowers the price at once and credits nothing, so that the next invoice is the lower one, and notes on the subscription which
 * tier is paid for until then. One call does it and one takes it back; a subscription schedule takes three, and keeps the portal and
 * the cancellation from working meanwhile.
 */
const tierParams: ParamsOf = (subscription, { tier, nextTier, currentPeriodEnd }, { nextTier: wanted }, prices) => {
  const next = wanted === tier ? null : wanted;
  if (next === undefined || next === nextTier) return null;
  const { itemId: id } = tierItemOf(subscription, prices);
  const kept = next === null ? { tier: '', until: '' } : { tier, until: String(currentPeriodEnd.getTime() / 1_000) };
  return {
    items: [{ id, price: prices[next ?? tier] }],
    proration_behavior: 'none',
    metadata: { [PaidTierMetadata.tier]: kept.tier, [PaidTierMetadata.until]: kept.until },
  };
};

const cancelParams: ParamsOf = (
  { cancel_at_period_end: byFlag },
  { cancelAtPeriodEnd: has },
  { cancelAtPeriodEnd: wanted },
) => {
  if (wanted === undefined || wanted === has) return null;
  return wanted || byFlag === true ? { cancel_at_period_end: wanted } : { cancel_at: '' };
};
