import type { Context } from '../../context/context.ts';
import type { PaidTier } from '../../fields/tiers.ts';

/** A page of the provider where somebody pays. */
export interface HostedPage {
  sessionId: string;
  /** Opens the page: kept sealed, never in a log or a history. */
  url: string;
}

/** A checkout as the provider has it. */
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
  /** Of one that failed after the provider had paid it, when the money came back, by its clock; null: it does not say. */
  cameBackAt: Date | null;
}

/** A subscription as the provider has it. */
export interface SubscriptionState {
  subscriptionId: string;
  customerId: string;
  /** past_due keeps the tier; with unpaid, canceled and incomplete the operator is on tier free (decision B12). */
  status: 'active' | 'past_due' | 'unpaid' | 'canceled' | 'incomplete';
  tier: PaidTier;
  /** Seats bought in addition to those of the tier. */
  purchasedSeats: number;
  cancelAtPeriodEnd: boolean;
  /** A downgrade that takes effect at the end of the period. */
  nextTier: PaidTier | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
}

/** Changes of a running subscription that need no payment first. A member that is absent stays as it is. */
export interface SubscriptionChange {
  purchasedSeats?: number;
  cancelAtPeriodEnd?: boolean;
  /** Takes effect at the end of the period; null takes a planned downgrade back. */
  nextTier?: PaidTier | null;
}

/** The provider refuses for good: another try gets the same answer. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
}

/**
 * The port to the payment provider: Stripe, or the local payment page where no Stripe key is set. Only activities call
 * it. Every call that changes something carries a key under which the provider does it once, so a call whose answer was
 * lost is repeated unchanged. Each call throws `PaymentRefused` where the provider refuses for good. After any other
 * error the outcome is unknown, and the call is tried again.
 */
export interface PaymentProvider {
  /**
   * Key `customer:<operator>` with name and e-mail. Under another name a second customer may be made, which does no
   * harm.
   */
  ensureCustomer(request: { operatorId: string; name: string; email: string }): Promise<{ customerId: string }>;
  /**
   * Key: the top-up. The provider may accept the payment for longer than `expiresAt` (Stripe: 30 minutes at least), so
   * a caller that gives the checkout up must call `expireCheckout`.
   */
  openTopUp(request: {
    topUpId: string;
    operatorId: string;
    customerId: string;
    amountCents: number;
    expiresAt: Date;
  }): Promise<HostedPage>;
  /** Key: the change. For a first subscription; `purchasedSeats` is 0 or more. */
  openSubscription(request: {
    changeId: string;
    operatorId: string;
    customerId: string;
    tier: PaidTier;
    purchasedSeats: number;
    expiresAt: Date;
  }): Promise<HostedPage>;
  /**
   * Key: the change. A page that confirms an upgrade of a running subscription. The upgrade happens when it is paid
   * (decision B12), and only `readSubscription` shows that: Stripe reports nothing about this page. Opening it takes a
   * planned downgrade back, so a caller that gives the upgrade up must plan the downgrade again.
   */
  openUpgrade(request: {
    changeId: string;
    customerId: string;
    subscriptionId: string;
    tier: PaidTier;
    expiresAt: Date;
  }): Promise<HostedPage>;
  readCheckout(sessionId: string): Promise<CheckoutState>;
  /** Closes a checkout so that nobody can pay it; one that is over already stays as it is. */
  expireCheckout(sessionId: string): Promise<void>;
  /** Key `refund:<transaction>`; the same key again returns the state of that refund. */
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

/** What steps of lives are called with that reach the provider. */
export interface PaymentsContext extends Context {
  readonly payments: PaymentProvider;
}
