import { CarnetError } from '../errors/carnet-error.ts';
import type { PaidTier } from '../fields/tiers.ts';

/** A page of the portal is opened with the configuration that `ensurePortal` returned. */
interface PortalPage {
  configurationId: string | null;
}

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
  /** The payment that a refund goes back to; null until it is paid. */
  paymentId: string | null;
  receiptUrl: string | null;
  /** Null where the checkout is not one of a subscription. */
  subscriptionId: string | null;
}

/** A refund as the provider's list of a payment has it. */
export interface ListedRefund {
  providerRefundId: string;
  amountCents: number;
  /** `failed`: the money is not refunded, or not any more, as when the bank has sent it back. */
  status: 'pending' | 'succeeded' | 'failed';
  /** That we requested it under; null where it was made without us, say in the provider's dashboard. */
  key: string | null;
  /** By the provider's clock. */
  madeAt: Date;
}

/** A subscription as the provider has it. */
export interface SubscriptionState {
  subscriptionId: string;
  customerId: string;
  /** past_due keeps the tier; with unpaid, canceled and incomplete the operator is on tier free. */
  status: 'active' | 'past_due' | 'unpaid' | 'canceled' | 'incomplete';
  /** Null: no setting names its price; what is known of the tier stays. */
  tier: PaidTier | null;
  /** Seats bought in addition to those of the tier; null: they may have a price that no setting names. */
  purchasedSeats: number | null;
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
  override readonly name: string = 'PaymentRefused';
}

/**
 * The provider has not done it, and repeats that answer for a day under the same key, so the next try has another one: our balance there is too low, or
 * it repeats that it failed. A failure that it has not repeated is an outcome that is unknown: another key would make a call twice that is still under
 * way. Before each try the provider is asked what was made already, so nothing is made twice as long as its lists show that.
 */
export class NotDone extends CarnetError {}

/** The provider does not know the customer, or no longer. */
export class CustomerUnknown extends PaymentRefused {
  override readonly name = 'CustomerUnknown';
}

/** Who pays. */
export interface Customer {
  customerId: string;
  /** From 1: how many customers were made for the operator. Each call for another customer is another request. */
  customerNumber: number;
}

/**
 * How a page is opened. It is kept in the row, so that a call that is made again is the same request, no matter what the
 * settings say by then.
 */
export interface PageTerms {
  /** Until when it can be paid. */
  expiresAt: Date;
  /** How long that was when the page was asked for. */
  seconds: number;
  /** The address of the service, to which the page leads back. */
  returnTo: string;
}

/**
 * The port to the payment provider: Stripe, or the local payment page where no Stripe key is set. Requests that open a page
 * call it, and steps of lives. Every call that changes something carries a key under which the provider does it once, so a call whose answer was
 * lost is repeated unchanged. Each call throws `PaymentRefused` where the provider refuses for good. After any other
 * error the outcome is unknown, and the call is tried again.
 */
export interface PaymentProvider {
  /**
   * Key `customer:<operator>` and the number, with name and e-mail. Under another name a second customer may be made,
   * which does no harm.
   */
  ensureCustomer(request: {
    operatorId: string;
    name: string;
    email: string;
    customerNumber: number;
  }): Promise<Customer>;
  /**
   * Key: the top-up. Throws `CustomerUnknown`, as each call for a customer does. The provider may accept the payment for longer than `expiresAt` (Stripe: 30 minutes at least), so
   * a caller that gives the checkout up must call `expireCheckout`.
   */
  openTopUp(
    request: Customer & PageTerms & { topUpId: string; operatorId: string; amountCents: number },
  ): Promise<HostedPage>;
  /** Key: the change. For a first subscription; `purchasedSeats` is 0 or more. */
  openSubscription(
    request: Customer & PageTerms & { changeId: string; operatorId: string; tier: PaidTier; purchasedSeats: number },
  ): Promise<HostedPage>;
  /**
   * Key: the change and the attempt, which counts the pages of one change, and of a page of the portal what it is opened with. A page that confirms an upgrade of a running subscription. The upgrade happens when it is paid,
   * and only `readSubscription` shows that: Stripe reports nothing about this page. Opening it takes a
   * planned downgrade back, so a caller that gives the upgrade up must plan the downgrade again.
   */
  openUpgrade(
    request: Customer &
      PageTerms &
      PortalPage & { changeId: string; attempt: number; subscriptionId: string; tier: PaidTier },
  ): Promise<HostedPage>;
  /**
   * Key: the change. To be called once the page of an upgrade is paid, as `readCheckout` says: makes the upgrade where
   * paying it did not. A tier that is as large by now stays.
   */
  completeUpgrade(request: { changeId: string; subscriptionId: string; tier: PaidTier }): Promise<SubscriptionState>;
  readCheckout(sessionId: string): Promise<CheckoutState>;
  /** Closes a checkout so that nobody can pay it; one that is over already stays as it is. */
  expireCheckout(sessionId: string): Promise<void>;
  /**
   * Key `refund:<transaction>`; the same key again makes no other refund. The list says its outcome.
   * @param request.tries counts the tries under the key, one more after `NotDone`
   */
  refund(request: {
    key: string;
    tries: number;
    paymentId: string;
    amountCents: number;
  }): Promise<{ providerRefundId: string }>;
  /**
   * All refunds of a payment, no matter who made them, the newest first. Throws `PaymentRefused` where the provider does not
   * know the payment, or lists amounts that are not US cents.
   */
  listRefunds(paymentId: string): Promise<ListedRefund[]>;
  readSubscription(subscriptionId: string): Promise<SubscriptionState>;
  changeSubscription(request: {
    key: string;
    subscriptionId: string;
    change: SubscriptionChange;
  }): Promise<SubscriptionState>;
  /**
   * Refunds what was paid for the current period of a subscription and ends it immediately; keys are made of the
   * subscription.
   * @returns the cents that went back; null where it had ended by itself, and nothing is given back
   */
  giveSubscriptionBack(subscriptionId: string): Promise<number | null>;
  /** Which subscription a payment was made for, and by whom; null: for none, or the provider does not know it. */
  readSubscriptionPayment(paymentId: string): Promise<{ subscriptionId: string; customerId: string | null } | null>;
  /**
   * Sees to it that the portal sells what the settings say, and that an upgrade in it counts when it is paid.
   * @param configurationId what an earlier call returned
   * @returns how the provider names the configuration; null where it has none
   */
  ensurePortal(configurationId: string | null): Promise<string | null>;
  /** Key: the portal session, with what the page is opened with. */
  openPortal(request: Customer & PortalPage & { portalId: string; returnTo: string }): Promise<{ url: string }>;
  /**
   * A page of the events since a moment, at most 100, each as its webhook carries it and of the types that mean something
   * here.
   * @param request.after the id of the last event of the page before; null: the first page
   * @returns after: null where there are no more
   */
  readEvents(request: { since: Date; after: string | null }): Promise<{ events: unknown[]; after: string | null }>;
  /**
   * Key `payout:<operator>:<month>`; the same key again makes no other transfer.
   * @param request.tries counts the tries under the key, one more after `NotDone`
   * @param request.account `acct_…`
   */
  transfer(request: {
    key: string;
    tries: number;
    operatorId: string;
    account: string;
    amountCents: number;
  }): Promise<{ transferId: string }>;
}
