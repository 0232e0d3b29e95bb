import type { SubscriptionState } from '../../context/payment-provider.ts';
import type { DisputeStanding } from './stripe/statuses.ts';

/**
 * The report of a payment webhook, from Stripe or the local provider. An id counts once, however often it is sent.
 */
export type PaymentEvent = { id: string; type: string; createdAt: Date } & PaymentFact;

export type PaymentFact =
  | CheckoutFact
  /** Some of a payment was refunded, by us or in the provider's own dashboard: its list of refunds says what. */
  | { kind: 'refunded'; paymentId: string }
  | RefundFact
  | DisputeFact
  /**
   * The subscription as it was when the event was made. Events come in any order, so the state is read from the
   * provider as well.
   */
  | { kind: 'subscription'; operatorId: string | null; state: SubscriptionState }
  /** A renewal, or the first payment, of a subscription. */
  | { kind: 'invoice_paid'; subscriptionId: string }
  /** Some or all of a payout was taken back from the publisher's account; `reversedCents` is the sum so far. */
  | { kind: 'transfer_reversed'; transferId: string; amountCents: number; reversedCents: number }
  /** Does not concern us: answered 200. */
  | { kind: 'other' };

/** A refund was made, one that was pending has an outcome, or one that had succeeded came back. */
export interface RefundFact {
  kind: 'refund';
  providerRefundId: string;
  paymentId: string | null;
  /** That we requested it under; null where it was made without us, say in the provider's dashboard. */
  key: string | null;
  /** Hundredths of `currency`; null where the event does not say. */
  amountCents: number | null;
  /** Lower case, `usd`; that of its payment, which for a subscription may be another than a wallet's. */
  currency: string | null;
  status: 'pending' | 'succeeded' | 'failed';
}

/** How a dispute stood when the event was made. */
export interface DisputeFact {
  kind: 'dispute';
  disputeId: string;
  paymentId: string;
  amountCents: number;
  currency: string;
  /** In the provider's words. */
  status: string;
  standing: DisputeStanding;
  stage: number;
  /**
   * The amounts that the provider withdrew (below zero) and reinstated so far; null where the event does not list it, and the amount
   * stands for it.
   */
  movements: { id: string; cents: number }[] | null;
}

/** The outcome of a hosted checkout. The metadata that we gave it names the top-up or the change of a subscription. */
export interface CheckoutFact {
  kind: 'checkout';
  outcome: 'paid' | 'processing' | 'failed' | 'expired';
  purpose: 'top_up' | 'subscription';
  /** `top_…` or `sbc_…`. */
  reference: string;
  sessionId: string;
  amountCents: number | null;
  /** Lower case, `usd`. */
  currency: string | null;
  paymentId: string | null;
}

/** The metadata of everything that we create at the provider, so that its webhooks name what they are about. */
export interface PaymentMetadata {
  carnet_purpose: 'top_up' | 'subscription';
  /** `top_…` or `sbc_…`. */
  carnet_reference: string;
  carnet_operator: string;
}
