import { z } from 'zod';
import type { CheckoutFact, PaymentFact } from './event.ts';
import { StripeSubscription, subscriptionStateOf, type Prices } from './stripe/subscription.ts';

/** An id, or the whole object where the account expands it. */
const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);

const Metadata = z.looseObject({
  carnet_purpose: z.enum(['top_up', 'subscription']),
  carnet_reference: z.string(),
});

const Session = z.object({
  id: z.string(),
  payment_status: z.string(),
  amount_total: z.number().nullish(),
  currency: z.string().nullish(),
  payment_intent: Reference,
  metadata: z.unknown(),
});

const Charge = z.object({ payment_intent: Reference, amount_refunded: z.number(), currency: z.string() });
const Refund = z.object({ id: z.string(), payment_intent: Reference, status: z.string().nullish() });
const Dispute = z.object({
  id: z.string(),
  payment_intent: Reference,
  amount: z.number(),
  currency: z.string(),
  status: z.string(),
});
const Invoice = z.object({
  subscription: Reference, // API versions until 2025-02
  parent: z.object({ subscription_details: z.object({ subscription: Reference }).nullish() }).nullish(),
});

/** An event that is about nothing of ours. */
export const unrelatedFact: PaymentFact = { kind: 'other' };

/**
 * What an event of Stripe's means to us. An event about something that we did not create (another product on the same
 * account, something made by hand in Stripe's dashboard) is `other`.
 * @throws Error where a subscription of ours has none of our prices.
 */
export function paymentFactOf(type: string, object: unknown, prices: Prices): PaymentFact {
  return readers.get(type)?.(object, prices) ?? unrelatedFact;
}

type Reader = (object: unknown, prices: Prices) => PaymentFact;

const checkout =
  (outcome: (paymentStatus: string) => CheckoutFact['outcome']): Reader =>
  (object) => {
    const { data: session } = Session.safeParse(object);
    const { data: metadata } = Metadata.safeParse(session?.metadata);
    if (session === undefined || metadata === undefined) return unrelatedFact;
    return {
      kind: 'checkout',
      outcome: outcome(session.payment_status),
      purpose: metadata.carnet_purpose,
      reference: metadata.carnet_reference,
      sessionId: session.id,
      amountCents: session.amount_total ?? null,
      currency: session.currency ?? null,
      paymentId: session.payment_intent,
    };
  };

const refunded: Reader = (object) => {
  const { data: charge } = Charge.safeParse(object);
  if (charge === undefined || charge.payment_intent === null) return unrelatedFact;
  return {
    kind: 'refunded',
    paymentId: charge.payment_intent,
    refundedCents: charge.amount_refunded,
    currency: charge.currency,
  };
};

const refund: Reader = (object) => {
  const { data } = Refund.safeParse(object);
  if (data === undefined) return unrelatedFact;
  return {
    kind: 'refund',
    providerRefundId: data.id,
    paymentId: data.payment_intent,
    status: refundStatusOf(data.status),
  };
};

/**
 * A refund that `requires_action` waits for a person, so it is pending; a `canceled` one will never be paid, so it
 * failed.
 */
export function refundStatusOf(status: string | null | undefined): 'pending' | 'succeeded' | 'failed' {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

/** An inquiry (`warning_…`) has taken no money yet; if it becomes a dispute, `funds_withdrawn` follows. */
const dispute =
  (outcome: (status: string) => 'opened' | 'won' | 'lost' | null): Reader =>
  (object) => {
    const { data } = Dispute.safeParse(object);
    const result = data === undefined ? null : outcome(data.status);
    if (data === undefined || data.payment_intent === null || result === null) return unrelatedFact;
    return {
      kind: 'dispute',
      disputeId: data.id,
      paymentId: data.payment_intent,
      amountCents: data.amount,
      currency: data.currency,
      outcome: result,
    };
  };

const subscription: Reader = (object, prices) => {
  const { data } = StripeSubscription.safeParse(object);
  const operatorId = data?.metadata?.carnet_operator;
  if (data === undefined || operatorId === undefined) return unrelatedFact;
  return { kind: 'subscription', operatorId, state: subscriptionStateOf(data, prices) };
};

const invoicePaid: Reader = (object) => {
  const { data } = Invoice.safeParse(object);
  const subscriptionId = data?.parent?.subscription_details?.subscription ?? data?.subscription ?? null;
  return subscriptionId === null ? unrelatedFact : { kind: 'invoice_paid', subscriptionId };
};

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    // `no_payment_required`: the sum was zero, which none of ours is.
    'checkout.session.completed': checkout((paymentStatus) => (paymentStatus === 'paid' ? 'paid' : 'processing')),
    'checkout.session.async_payment_succeeded': checkout((paymentStatus) =>
      paymentStatus === 'paid' ? 'paid' : 'processing',
    ),
    'checkout.session.async_payment_failed': checkout(() => 'failed'),
    'checkout.session.expired': checkout(() => 'expired'),
    'charge.refunded': refunded,
    'refund.updated': refund,
    'refund.failed': refund,
    'charge.refund.updated': refund,
    'charge.dispute.created': dispute((status) => (status.startsWith('warning_') ? null : 'opened')),
    'charge.dispute.funds_withdrawn': dispute(() => 'opened'),
    'charge.dispute.closed': dispute((status) => (status === 'won' || status === 'lost' ? status : null)),
    'charge.dispute.funds_reinstated': dispute(() => 'won'),
    'customer.subscription.created': subscription,
    'customer.subscription.updated': subscription,
    'customer.subscription.deleted': subscription,
    'invoice.paid': invoicePaid,
  }),
);
