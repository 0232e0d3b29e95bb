import { z } from 'zod';
import type { CheckoutFact, DisputeFact, PaymentFact } from './event.ts';
import type { Stripe } from 'stripe';
import { Cents, Id, Text } from './stripe/fields.ts';
import { readsOf, type Listed } from './stripe/listed.ts';
import { disputeStatusOf, refundStatusOf } from './stripe/statuses.ts';
import { StripeSubscription, subscriptionStateOf, type Prices } from './stripe/subscription.ts';

const Reference = Id.nullish().transform((id) => id ?? null);

const Metadata = z.looseObject({
  carnet_purpose: z.enum(['top_up', 'subscription']),
  carnet_reference: Text,
});

const Session = readsOf<Stripe.Checkout.Session>()(
  z.object({
    id: Text,
    payment_status: z.string(),
    amount_total: Cents.nullish(),
    currency: Text.nullish(),
    payment_intent: Reference,
    metadata: z.unknown(),
  }),
);

const Charge = readsOf<Stripe.Charge>()(z.object({ payment_intent: Reference }));
const Refund = readsOf<Stripe.Refund>()(
  z.object({
    id: Text,
    payment_intent: Reference,
    amount: Cents.min(0).nullish(),
    currency: Text.nullish(),
    status: z.string().nullish(),
    // The report needs the payment alone: what others wrote here, or a key that cannot be kept, must not lose it.
    metadata: z
      .object({ carnet_key: Text.nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
);
const Dispute = readsOf<Stripe.Dispute>()(
  z.object({
    id: Text,
    payment_intent: Reference,
    amount: Cents.min(1),
    currency: z.string(),
    status: Text,
    balance_transactions: z
      .array(z.object({ id: Text, amount: Cents, currency: z.string(), created: z.number() }))
      .optional(), // not in API versions until 2014
  }),
);
const Transfer = readsOf<Stripe.Transfer>()(z.object({ id: Text, amount: Cents, amount_reversed: Cents }));
const Invoice = readsOf<Stripe.Invoice>()(
  z.object({
    subscription: Reference, // API versions until 2025-02
    parent: z.object({ subscription_details: z.object({ subscription: Reference }).nullish() }).nullish(),
  }),
);

/** An event that is about nothing of ours. */
export const unrelatedFact: PaymentFact = { kind: 'other' };

/**
 * Reads what an event of Stripe's means to us. An event about something that we did not create (another product on the same
 * account, something made by hand in Stripe's dashboard) is `other`, and so is one that has no whole amount or whose
 * texts cannot be kept as they are: sent again it would say the same.
 * @throws Error where a subscription of ours has no period.
 */
export function paymentFactOf(type: string, object: unknown, prices: Prices): PaymentFact {
  const reader = Object.hasOwn(readers, type) ? readers[type as keyof typeof readers] : null;
  return reader?.(object, prices) ?? unrelatedFact;
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
  return { kind: 'refunded', paymentId: charge.payment_intent };
};

const refund: Reader = (object) => {
  const { data } = Refund.safeParse(object);
  if (data === undefined) return unrelatedFact;
  return {
    kind: 'refund',
    providerRefundId: data.id,
    paymentId: data.payment_intent,
    key: data.metadata?.carnet_key ?? null,
    amountCents: data.amount ?? null,
    currency: data.currency ?? null,
    status: refundStatusOf(data.status),
  };
};

/** No matter what the event is called, it carries the dispute as it was: status and balance transactions say what it means. */
const dispute: Reader = (object) => {
  const { data } = Dispute.safeParse(object);
  if (data === undefined || data.payment_intent === null) return unrelatedFact;
  const { id: disputeId, payment_intent: paymentId, amount: amountCents, currency, status } = data;
  const movements = movementsOf(data);
  // Converted from another currency a sum may be larger than any that can be kept.
  if (movements?.some(({ cents }) => !Number.isSafeInteger(cents)) === true) return unrelatedFact;
  return {
    kind: 'dispute',
    disputeId,
    paymentId,
    amountCents,
    currency,
    status,
    ...disputeStatusOf(status),
    movements,
  };
};

/**
 * In the cents of the dispute. An account that is settled in another currency withdraws and reinstates in that: there the
 * first withdrawal stands for the disputed amount, and what follows counts in proportion to it.
 */
function movementsOf({
  amount,
  currency,
  balance_transactions: all,
}: z.infer<typeof Dispute>): DisputeFact['movements'] {
  if (all === undefined) return null;
  if (all.every((movement) => movement.currency === currency))
    return all.map(({ id, amount: cents }) => ({ id, cents }));
  const [first] = all.filter((movement) => movement.amount < 0).toSorted((a, b) => a.created - b.created);
  if (first === undefined) return null;
  return all.map(({ id, amount: cents }) => ({ id, cents: Math.round((-cents * amount) / first.amount) }));
}

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

const transferReversed: Reader = (object) => {
  const { data } = Transfer.safeParse(object);
  if (data === undefined) return unrelatedFact;
  const { id: transferId, amount: amountCents, amount_reversed: reversedCents } = data;
  return { kind: 'transfer_reversed', transferId, amountCents, reversedCents };
};

/** `no_payment_required`: the sum was zero, which none of ours is. */
const paidStates: Record<Listed<Stripe.Checkout.Session.PaymentStatus>, 'paid' | 'processing'> = {
  paid: 'paid',
  unpaid: 'processing',
  no_payment_required: 'processing',
};
const paidOf = (paymentStatus: string): 'paid' | 'processing' =>
  Object.hasOwn(paidStates, paymentStatus) ? paidStates[paymentStatus as keyof typeof paidStates] : 'processing';

/**
 * The types of event about things that we make at Stripe. Each has a reader or null, which says that nothing here follows
 * from it; one that a new SDK adds does not compile until it stands here.
 */
type OurType = Extract<
  Listed<Stripe.Event.Type>,
  | `checkout.session.${string}`
  | `charge.dispute.${string}`
  | `charge.refund${string}`
  | `refund.${string}`
  | `customer.subscription.${string}`
  | `transfer.${string}`
  | 'invoice.paid'
>;

const readers: Record<OurType, Reader | null> = {
  'checkout.session.completed': checkout(paidOf),
  'checkout.session.async_payment_succeeded': checkout(paidOf),
  'checkout.session.async_payment_failed': checkout(() => 'failed'),
  'checkout.session.expired': checkout(() => 'expired'),
  'charge.refunded': refunded,
  'charge.refund.updated': null, // `refund.updated` says it of all refunds
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.dispute.created': dispute,
  'charge.dispute.updated': dispute,
  'charge.dispute.funds_withdrawn': dispute,
  'charge.dispute.funds_reinstated': dispute,
  'charge.dispute.closed': dispute,
  'customer.subscription.created': subscription,
  'customer.subscription.updated': subscription,
  'customer.subscription.deleted': subscription,
  'customer.subscription.paused': subscription,
  'customer.subscription.resumed': subscription,
  // `updated` says the outcome of a pending update, and nothing of ours makes one.
  'customer.subscription.pending_update_applied': null,
  'customer.subscription.pending_update_expired': null,
  'customer.subscription.trial_will_end': null, // nothing of ours has a trial
  'invoice.paid': invoicePaid,
  'transfer.created': null, // its call was answered
  'transfer.updated': null,
  'transfer.reversed': transferReversed,
};

/** The types of event that mean something here: what the endpoint of the webhook is to be sent, and what is read daily. */
export const paymentEventTypes: readonly string[] = Object.entries(readers).flatMap(([type, reader]) =>
  reader === null ? [] : [type],
);
