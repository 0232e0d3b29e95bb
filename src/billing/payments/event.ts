import type { SubscriptionState } from './provider.ts';

/** What a payment webhook says, whoever sent it; `id` happens once (decisions B7). */
export type PaymentEvent = { id: string; type: string; createdAt: Date } & PaymentFact;

export type PaymentFact =
  | CheckoutFact
  /** Some of a payment went back, by us or in the provider's own dashboard; the sum so far. */
  | { kind: 'refunded'; paymentId: string; refundedCents: number; currency: string }
  /** A refund of ours that was pending has an outcome. */
  | { kind: 'refund'; providerRefundId: string; paymentId: string | null; status: 'pending' | 'succeeded' | 'failed' }
  | {
      kind: 'dispute';
      disputeId: string;
      paymentId: string;
      amountCents: number;
      currency: string;
      outcome: 'opened' | 'won' | 'lost';
    }
  /** The subscription as it was when the event was made: events come in any order, so the provider is asked as well. */
  | { kind: 'subscription'; operatorId: string | null; state: SubscriptionState }
  /** A renewal, or the first payment, of a subscription. */
  | { kind: 'invoice_paid'; subscriptionId: string }
  /** Of no concern to us: answered 200. */
  | { kind: 'other' };

/** What became of a hosted checkout, by the metadata we gave it. */
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

/** What we write on everything we make at the provider, so that its webhooks say what they are about. */
export interface PaymentMetadata {
  carnet_purpose: 'top_up' | 'subscription';
  /** `top_…` or `sbc_…`. */
  carnet_reference: string;
  carnet_operator: string;
}
