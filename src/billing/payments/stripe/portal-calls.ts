import type { Stripe } from 'stripe';
import type { Logger } from 'pino';
import { type PaymentProvider, PaymentRefused } from '../../../context/payment-provider.ts';
import { paidTiers } from '../../../fields/tiers.ts';
import type { StripeParts } from './checkout-calls.ts';
import { keyOfParams } from './client.ts';
import { soldPrice } from './subscription.ts';

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;

/**
 * The configuration of Stripe's portal. It is made here and not in Stripe's dashboard, since by Stripe's own default an upgrade is not
 * invoiced: the larger tier would count and nobody would have paid it.
 */
export function stripePortal(
  { stripe, call, prices }: StripeParts,
  log: Logger,
): Pick<PaymentProvider, 'ensurePortal'> {
  /** A product sells at most one price a month in the portal; of several tiers of one product each is listed. */
  const productsSold = async (): Promise<{ product: string; prices: string[] }[]> => {
    const products = new Map<string, string[]>();
    for (const tier of paidTiers) {
      const id = soldPrice(prices, tier);
      const { product } = await call('prices.retrieve', () => stripe.prices.retrieve(id));
      const productId = typeof product === 'string' ? product : product.id;
      products.set(productId, [...(products.get(productId) ?? []), id]);
    }
    return [...products].map(([product, ids]) => ({ product, prices: ids }));
  };

  const wanted = async (): Promise<Features> => ({
    customer_update: { enabled: true, allowed_updates: ['name', 'email', 'address', 'tax_id'] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['price'],
      proration_behavior: 'always_invoice',
      products: await productsSold(),
    },
  });

  const find = async (id: string): Promise<Stripe.BillingPortal.Configuration | null> => {
    try {
      const expand = ['features.subscription_update.products'];
      return await call('billingPortal.configurations.retrieve', () =>
        stripe.billingPortal.configurations.retrieve(id, { expand }),
      );
    } catch (error) {
      if (error instanceof PaymentRefused) return null;
      throw error;
    }
  };

  return {
    async ensurePortal(configurationId) {
      const features = await wanted();
      const found = configurationId === null ? null : await find(configurationId);
      if (found === null) {
        const params = { features, metadata: { carnet_purpose: 'portal' } };
        // Another one that is gone is no answer to this call, so it is part of the key.
        const idempotencyKey = keyOfParams(`portal-configuration:${configurationId ?? ''}`, params);
        const { id } = await call('billingPortal.configurations.create', () =>
          stripe.billingPortal.configurations.create(params, { idempotencyKey }),
        );
        return id;
      }
      if (found.active && JSON.stringify(essence(found.features)) === JSON.stringify(essence(features)))
        return found.id;
      log.warn(
        { configurationId: found.id, was: essence(found.features) },
        'the portal of Stripe was not configured as it must be; it is now',
      );
      await call('billingPortal.configurations.update', () =>
        stripe.billingPortal.configurations.update(found.id, { active: true, features }),
      );
      return found.id;
    },
  };
}

/** The values that decide about money and subscriptions, in the same words for what is wanted and for what Stripe has. */
const essence = ({
  payment_method_update: cards,
  subscription_cancel: cancel,
  subscription_update: update,
}: Features | Stripe.BillingPortal.Configuration.Features) => ({
  cards: cards?.enabled,
  cancel: [cancel?.enabled, cancel?.mode],
  update: [update?.enabled, update?.proration_behavior, update?.default_allowed_updates],
  prices: (Array.isArray(update?.products) ? update.products : []).flatMap(({ prices }) => prices).toSorted(),
});
