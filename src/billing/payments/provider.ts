import type { PaidTier } from '../../fields/tiers.ts';

/** Tiers that are bought at a checkout; free is the absence of one, enterprise is agreed on in person (decisions B11). */

/** A page of the provider where somebody pays, or looks after what was paid. */
export interface HostedPage {
  sessionId: string;
  /** Opens the page: kept sealed, never in a log or a history. */
  url: string;
}

/** What the provider says of a checkout when it is asked. */
export interface CheckoutState {
  status: 'open' | 'paid' | 'processing' | 'failed' | 'expired';
  amountCents: number | null;
  /** Lower case, `usd`. */
  currency: string | null;
  /** What a refund goes back to; null until it is paid. */
  paymentId: string | null;
  receiptUrl: string | null;
  /** Of a checkout of a subscription. */
  subscriptionId: string | null;
}

export interface RefundState {
  providerRefundId: string;
  status: 'pending' | 'succeeded' | 'failed';
}

/** A subscription as the provider has it. */
export interface SubscriptionState {
  subscriptionId: string;
  customerId: string;
  /** past_due keeps the tier; unpaid, canceled and incomplete are free (decisions B12). */
  status: 'active' | 'past_due' | 'unpaid' | 'canceled' | 'incomplete';
  tier: PaidTier;
  /** Bought beside those of the tier. */
  purchasedSeats: number;
  cancelAtPeriodEnd: boolean;
  /** A downgrade that takes effect at the end of the period. */
  nextTier: PaidTier | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
}

/** Changes of a running subscription that need no payment first; what is absent stays. */
export interface SubscriptionChange {
  purchasedSeats?: number;
  cancelAtPeriodEnd?: boolean;
  /** At the end of the period; null takes a planned downgrade back. */
  nextTier?: PaidTier | null;
}

/** The provider will never do this, however often it is asked. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
}

/**
 * Who moves the money: Stripe, or the local page where there is no key. Called by activities alone. Every call that changes something
 * carries a key under which the provider does it once, so a call whose answer was lost is made again as it was. Each throws
 * `PaymentRefused` where the answer is no for good; anything else is unknown, and tried again.
 */
export interface PaymentProvider {
  /** Key `customer:<operator>` and what is said of it; asking again with another name may make another customer, which harms nobody. */
  ensureCustomer(request: { operatorId: string; name: string; email: string }): Promise<{ customerId: string }>;
  /**
   * Key: the top-up. The provider may take the payment for longer than `expiresAt` (Stripe: 30 minutes at least), so whoever gives it up calls
   * `expireCheckout`.
   */
  openTopUp(request: {
    topUpId: string;
    operatorId: string;
    customerId: string;
    amountCents: number;
    expiresAt: Date;
  }): Promise<HostedPage>;
  /** Key: the change. A first subscription; `purchasedSeats` is 0 or more. */
  openSubscription(request: {
    changeId: string;
    operatorId: string;
    customerId: string;
    tier: PaidTier;
    purchasedSeats: number;
    expiresAt: Date;
  }): Promise<HostedPage>;
  /**
   * Key: the change. Confirms an upgrade of a running subscription; it happens when its payment did (decisions B12), which
   * `readSubscription` tells: of the page itself Stripe tells nothing. A planned downgrade is taken back by asking for one, so whoever
   * gives the upgrade up plans it again.
   */
  openUpgrade(request: {
    changeId: string;
    customerId: string;
    subscriptionId: string;
    tier: PaidTier;
    expiresAt: Date;
  }): Promise<HostedPage>;
  readCheckout(sessionId: string): Promise<CheckoutState>;
  /** Nobody shall pay it any more; one that is over already is as good. */
  expireCheckout(sessionId: string): Promise<void>;
  /** Key `refund:<transaction>`; the same key again answers what became of it. */
  refund(request: { key: string; paymentId: string; amountCents: number }): Promise<RefundState>;
  readRefund(providerRefundId: string): Promise<RefundState>;
  readSubscription(subscriptionId: string): Promise<SubscriptionState>;
  changeSubscription(request: {
    key: string;
    subscriptionId: string;
    change: SubscriptionChange;
  }): Promise<SubscriptionState>;
  /** Key: the portal session. */
  openPortal(request: { portalId: string; customerId: string }): Promise<{ url: string }>;
  /** Key `payout:<operator>:<month>`. @param request.account `acct_…` */
  transfer(request: {
    key: string;
    operatorId: string;
    account: string;
    amountCents: number;
  }): Promise<{ transferId: string }>;
}
