import type { CheckoutState, HostedPage, PaymentMetadata, PaymentProvider } from '../../src/billing/index.ts';
import type { Stripe } from 'stripe';
import type { Config, StripeSettings } from '../../src/context/config.ts';
import { keyOfParams, type Call } from './stripe-client.ts';

/** What the adapter is made of. */
export interface StripeParts {
  stripe: Stripe;
  call: Call;
  config: Pick<Config, 'publicBaseUrl' | 'topUpSessionSeconds' | 'subscribeSessionSeconds'>;
  prices: StripeSettings['prices'];
}

/** Stripe keeps a session open for 30 minutes at least and for 24 hours at most, counted from when it makes it. */
const SHORTEST_SECONDS = 1_800;
const LONGEST_SECONDS = 86_400;
/** A worker that was away may open a session this late, and clocks differ. */
const LATE_SECONDS = 300;

type Checkouts = Pick<
  PaymentProvider,
  'ensureCustomer' | 'openTopUp' | 'openSubscription' | 'readCheckout' | 'expireCheckout'
>;

export function stripeCheckouts({ stripe, call, config, prices }: StripeParts): Checkouts {
  const pages = returnUrls(config.publicBaseUrl);

  return {
    async ensureCustomer({ operatorId, name, email }) {
      const params = { name, email, metadata: { carnet_operator: operatorId } };
      const idempotencyKey = keyOfParams(`customer:${operatorId}`, params);
      const { id } = await call('customers.create', () => stripe.customers.create(params, { idempotencyKey }));
      return { customerId: id };
    },

    async openTopUp({ topUpId, operatorId, customerId, amountCents, expiresAt }) {
      const metadata = metadataOf('top_up', topUpId, operatorId);
      const session = await call('checkout.sessions.create', () =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            customer: customerId,
            client_reference_id: topUpId,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: 'usd',
                  unit_amount: amountCents,
                  product_data: { name: 'Carnet wallet top-up' },
                },
              },
            ],
            metadata,
            payment_intent_data: { metadata },
            ...pages,
            ...openUntil(expiresAt, config.topUpSessionSeconds),
          },
          { idempotencyKey: topUpId },
        ),
      );
      return pageOf(session);
    },

    async openSubscription({ changeId, operatorId, customerId, tier, purchasedSeats, expiresAt }) {
      const metadata = metadataOf('subscription', changeId, operatorId);
      const seats = purchasedSeats > 0 ? [{ price: prices.seat, quantity: purchasedSeats }] : [];
      const session = await call('checkout.sessions.create', () =>
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: changeId,
            line_items: [{ price: prices[tier], quantity: 1 }, ...seats],
            metadata,
            subscription_data: { metadata },
            ...pages,
            ...openUntil(expiresAt, config.subscribeSessionSeconds),
          },
          { idempotencyKey: changeId },
        ),
      );
      return pageOf(session);
    },

    async readCheckout(sessionId) {
      if (isPortalSession(sessionId)) return unknownYet;
      if (isInvoice(sessionId))
        return stateOfInvoice(await call('invoices.retrieve', () => stripe.invoices.retrieve(sessionId)));
      const session = await call('checkout.sessions.retrieve', () =>
        stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.latest_charge'] }),
      );
      return stateOfSession(session);
    },

    async expireCheckout(sessionId) {
      if (isPortalSession(sessionId)) return; // Stripe ends it by itself
      if (isInvoice(sessionId)) {
        const { status } = await call('invoices.retrieve', () => stripe.invoices.retrieve(sessionId));
        if (status === 'open') await call('invoices.voidInvoice', () => stripe.invoices.voidInvoice(sessionId));
        return;
      }
      const { status } = await call('checkout.sessions.retrieve', () => stripe.checkout.sessions.retrieve(sessionId));
      if (status === 'open') await call('checkout.sessions.expire', () => stripe.checkout.sessions.expire(sessionId));
    },
  };
}

const returnUrls = (publicBaseUrl: string) => ({
  success_url: `${publicBaseUrl}/dashboard?payment=done`,
  cancel_url: `${publicBaseUrl}/dashboard?payment=left`,
});

function metadataOf(
  purpose: PaymentMetadata['carnet_purpose'],
  reference: string,
  operator: string,
): Record<keyof PaymentMetadata, string> {
  return { carnet_purpose: purpose, carnet_reference: reference, carnet_operator: operator };
}

/**
 * Until when Stripe shall take the payment: until ours is surely over, in Stripe's bounds, and the same whenever the call is made again,
 * since a key goes with its parameters. The life closes the session at the moment itself.
 * @param seconds how long ours is open
 */
function openUntil(expiresAt: Date, seconds: number): { expires_at?: number } {
  const longer = SHORTEST_SECONDS + LATE_SECONDS;
  if (seconds + longer > LONGEST_SECONDS) return {}; // Stripe's own 24 hours
  return { expires_at: Math.floor(expiresAt.getTime() / 1_000) + longer };
}

function pageOf({ id, url }: Stripe.Checkout.Session): HostedPage {
  if (url === null) throw new Error(`Stripe gave no address with the session ${id}.`);
  return { sessionId: id, url };
}

/** Stripe does not return what became of a page of the billing portal: the subscription shows it. */
const isPortalSession = (sessionId: string): boolean => sessionId.startsWith('bps_');
const isInvoice = (sessionId: string): boolean => sessionId.startsWith('in_');

const unknownYet: CheckoutState = {
  status: 'open',
  amountCents: null,
  currency: null,
  paymentId: null,
  receiptUrl: null,
  subscriptionId: null,
};

function stateOfSession(session: Stripe.Checkout.Session): CheckoutState {
  const { payment_intent: intent, subscription } = session;
  const charge = typeof intent === 'object' ? intent?.latest_charge : null;
  return {
    status: statusOf(session),
    amountCents: session.amount_total,
    currency: session.currency,
    paymentId: idOf(intent),
    receiptUrl: typeof charge === 'object' ? (charge?.receipt_url ?? null) : null,
    subscriptionId: idOf(subscription),
  };
}

/** A completed session may be waiting for a bank; when that says no, the payment wants another method. */
function statusOf({
  status,
  payment_status: paid,
  payment_intent: intent,
}: Stripe.Checkout.Session): CheckoutState['status'] {
  if (status !== 'complete') return status === 'expired' ? 'expired' : 'open';
  if (paid !== 'unpaid') return 'paid';
  const failed =
    typeof intent === 'object' && (intent?.status === 'requires_payment_method' || intent?.status === 'canceled');
  return failed ? 'failed' : 'processing';
}

function stateOfInvoice(invoice: Stripe.Invoice): CheckoutState {
  const { status, amount_due: amountCents, currency, parent } = invoice;
  const over = status === 'void' || status === 'uncollectible';
  return {
    ...unknownYet,
    status: status === 'paid' ? 'paid' : over ? 'expired' : 'open',
    amountCents,
    currency,
    subscriptionId: idOf(parent?.subscription_details?.subscription ?? null),
  };
}

const idOf = (thing: string | { id: string } | null): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null);
