import type { Stripe } from 'stripe';
import type { StripeSettings } from '../../../context/config.ts';
import type {
  CheckoutState,
  Customer,
  HostedPage,
  PageTerms,
  PaymentProvider,
} from '../../../context/payment-provider.ts';
import type { PaymentMetadata } from '../event.ts';
import { keyOfCustomer, keyOfParams, type Call } from './client.ts';
import type { Listed } from './listed.ts';
import { soldPrice } from './subscription.ts';

/** The parts that the adapter is made of. */
export interface StripeParts {
  stripe: Stripe;
  call: Call;
  prices: StripeSettings['prices'];
}

/** Stripe keeps a session open for 30 minutes at least and for 24 hours at most, counted from when it makes it. */
const MIN_SECONDS = 1_800;
const MAX_SECONDS = 86_400;
/** Where the first try had no answer a session is opened late, and clocks differ. */
const LATE_SECONDS = 300;

type Checkouts = Pick<
  PaymentProvider,
  'ensureCustomer' | 'openTopUp' | 'openSubscription' | 'readCheckout' | 'expireCheckout'
>;

export function stripeCheckouts({ stripe, call, prices }: StripeParts): Checkouts {
  return {
    async ensureCustomer({ operatorId, name, email, customerNumber }) {
      const params = { name, email, metadata: { carnet_operator: operatorId } };
      const idempotencyKey = keyOfParams(keyOfCustomer(`customer:${operatorId}`, customerNumber), params);
      const { id } = await call('customers.create', () => stripe.customers.create(params, { idempotencyKey }));
      return { customerId: id, customerNumber };
    },

    openTopUp: ({ topUpId, operatorId, amountCents, ...terms }) =>
      openPayment(
        { stripe, call },
        {
          ...terms,
          key: topUpId,
          metadata: metadataOf({ purpose: 'top_up', reference: topUpId, operator: operatorId }),
          amountCents,
          title: 'Carnet wallet top-up',
        },
      ),

    async openSubscription({ changeId, operatorId, customerId, customerNumber, tier, purchasedSeats, ...terms }) {
      const metadata = metadataOf({ purpose: 'subscription', reference: changeId, operator: operatorId });
      const seats = purchasedSeats > 0 ? [{ price: soldPrice(prices, 'seat'), quantity: purchasedSeats }] : [];
      const session = await call('checkout.sessions.create', () =>
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: changeId,
            line_items: [{ price: soldPrice(prices, tier), quantity: 1 }, ...seats],
            metadata,
            subscription_data: { metadata },
            ...returnUrls(terms),
            ...openUntil(terms),
          },
          { idempotencyKey: keyOfCustomer(changeId, customerNumber) },
        ),
      );
      return pageOf(session);
    },

    async readCheckout(sessionId) {
      if (isPortalSession(sessionId)) return unknownYet;
      const session = await call('checkout.sessions.retrieve', () =>
        stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.latest_charge'] }),
      );
      return stateOfSession(session);
    },

    async expireCheckout(sessionId) {
      if (isPortalSession(sessionId)) return; // Stripe ends it by itself
      const { status } = await call('checkout.sessions.retrieve', () => stripe.checkout.sessions.retrieve(sessionId));
      if (status === 'open') await call('checkout.sessions.expire', () => stripe.checkout.sessions.expire(sessionId));
    },
  };
}

interface PaymentPage extends Customer, PageTerms {
  /** The key of the call without the customer's number; the session bears it too. */
  key: string;
  metadata: Record<keyof PaymentMetadata, string>;
  amountCents: number;
  /** Names what is paid for, in a line. */
  title: string;
}

/** A checkout of one sum. */
export async function openPayment(
  { stripe, call }: Pick<StripeParts, 'stripe' | 'call'>,
  { key, metadata, amountCents, title, customerId, customerNumber, ...terms }: PaymentPage,
): Promise<HostedPage> {
  const price = { currency: 'usd', unit_amount: amountCents, product_data: { name: title } };
  const session = await call('checkout.sessions.create', () =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        customer: customerId,
        client_reference_id: key,
        line_items: [{ quantity: 1, price_data: price }],
        metadata,
        payment_intent_data: { metadata },
        ...returnUrls(terms),
        ...openUntil(terms),
      },
      { idempotencyKey: keyOfCustomer(key, customerNumber) },
    ),
  );
  return pageOf(session);
}

const returnUrls = ({ returnTo }: Pick<PageTerms, 'returnTo'>) => ({
  success_url: `${returnTo}/dashboard?payment=done`,
  cancel_url: `${returnTo}/dashboard?payment=left`,
});

export function metadataOf({
  purpose,
  reference,
  operator,
}: {
  purpose: PaymentMetadata['carnet_purpose'];
  reference: string;
  operator: string;
}): Record<keyof PaymentMetadata, string> {
  return { carnet_purpose: purpose, carnet_reference: reference, carnet_operator: operator };
}

/**
 * Until when Stripe shall take the payment: until ours is surely over, in Stripe's bounds, and the same whenever the call is made again,
 * since a key goes with its parameters. The life closes the session at the moment itself.
 */
function openUntil({ expiresAt, seconds }: Omit<PageTerms, 'returnTo'>): { expires_at?: number } {
  const longer = MIN_SECONDS + LATE_SECONDS;
  if (seconds + longer > MAX_SECONDS) return {}; // Stripe's own 24 hours
  return { expires_at: Math.floor(expiresAt.getTime() / 1_000) + longer };
}

function pageOf({ id, url }: Stripe.Checkout.Session): HostedPage {
  if (url === null) throw new Error(`Stripe gave no address with the session ${id}.`);
  return { sessionId: id, url };
}

/** Stripe does not return the outcome of a page of the billing portal: the subscription shows it. */
const isPortalSession = (sessionId: string): boolean => sessionId.startsWith('bps_');

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
  const { [status ?? 'open']: ended } = sessionStatuses as Partial<Record<string, 'open' | 'expired' | 'complete'>>;
  if (ended !== 'complete') return ended ?? 'open';
  if (paid !== 'unpaid') return 'paid';
  return typeof intent === 'object' && intent !== null && hasFailed(intent.status) ? 'failed' : 'processing';
}

const sessionStatuses: Record<Listed<Stripe.Checkout.Session.Status>, 'open' | 'expired' | 'complete'> = {
  open: 'open',
  expired: 'expired',
  complete: 'complete',
};

/** Says whether the payment of a completed session will not come. One that waits for a person or a bank may. */
const failedIntents: Record<Listed<Stripe.PaymentIntent.Status>, boolean> = {
  canceled: true,
  requires_payment_method: true,
  processing: false,
  requires_action: false,
  requires_capture: false,
  requires_confirmation: false,
  succeeded: false,
};
const hasFailed = (status: string): boolean =>
  Object.hasOwn(failedIntents, status) && failedIntents[status as keyof typeof failedIntents];

const idOf = (thing: string | { id: string } | null): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null);
