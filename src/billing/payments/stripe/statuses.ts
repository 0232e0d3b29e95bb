import type { Stripe } from 'stripe';
import type { SubscriptionState } from '../../../context/payment-provider.ts';
import type { Listed } from './listed.ts';

/**
 * Says what a dispute means for the wallet (decision B10):
 * - `taken`: the bank has the money, or as much of it as the balance transactions of the dispute say;
 * - `won`: it is decided for us. What was withdrawn comes back, all of it unless the balance transactions say less;
 * - `none`: no money was taken for it;
 * - `unlisted`: a status that is newer than our SDK. Its balance transactions count, and a person must look.
 */
export type DisputeStanding = 'taken' | 'won' | 'none' | 'unlisted';

/**
 * The stage orders what Stripe stated within one second, its clock's tick: of two statuses of one second the later stage
 * counts.
 */
interface DisputeStatus {
  standing: DisputeStanding;
  stage: number;
}

const disputeStatuses: Record<Listed<Stripe.Dispute.Status>, DisputeStatus> = {
  warning_needs_response: { standing: 'none', stage: 0 },
  warning_under_review: { standing: 'none', stage: 1 },
  warning_closed: { standing: 'none', stage: 2 },
  needs_response: { standing: 'taken', stage: 3 },
  under_review: { standing: 'taken', stage: 4 },
  // Resolved by a refund before it became a dispute: the refund is what takes the money.
  prevented: { standing: 'none', stage: 5 },
  lost: { standing: 'taken', stage: 5 },
  won: { standing: 'won', stage: 5 },
  appeal_needs_response: { standing: 'taken', stage: 6 },
  appeal_under_review: { standing: 'taken', stage: 7 },
};

/** Stage of an unlisted status: it is newer than every other that we know. */
const UNLISTED: DisputeStatus = { standing: 'unlisted', stage: 8 };

export const disputeStatusOf = (status: string): DisputeStatus =>
  isListed(disputeStatuses, status) ? disputeStatuses[status] : UNLISTED;

const subscriptionStatuses: Record<Listed<Stripe.Subscription.Status>, SubscriptionState['status']> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  paused: 'unpaid', // nothing is paid, so the tier is free
  canceled: 'canceled',
  incomplete: 'incomplete',
  incomplete_expired: 'canceled', // the first payment never came
};

/** A status that is newer than our SDK gives no tier. */
export const subscriptionStatusOf = (status: string): SubscriptionState['status'] =>
  isListed(subscriptionStatuses, status) ? subscriptionStatuses[status] : 'incomplete';

/** The SDK types the status of a refund as any text; these are what its comment lists. */
const refundStatuses = {
  pending: 'pending',
  requires_action: 'pending', // waits for a person
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed', // it will never be paid
} as const;

export type RefundOutcomeStatus = (typeof refundStatuses)[keyof typeof refundStatuses];

/** One that is newer than our SDK is pending: neither paid nor refused until Stripe says so in words we know. */
export const refundStatusOf = (status: string | null | undefined): RefundOutcomeStatus =>
  typeof status === 'string' && isListed(refundStatuses, status) ? refundStatuses[status] : 'pending';

const isListed = <Words extends string>(record: Record<Words, unknown>, word: string): word is Words =>
  Object.hasOwn(record, word);
