import { closeSubscriptionCheckout, openSubscriptionCheckout } from '../src/billing/subscriptions/checkout.ts';
import { advanceSubscription, askSubscription, tellSubscription } from '../src/billing/subscriptions/life.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';
import { createPayments } from './payments/index.ts';

/** The steps of a subscription's life; the provider does each once, however often it is asked. */
export const subscriptionActivities = (context: Context) => ({
  advanceSubscription: activity(context, 'advanceSubscription', (operatorId: string) =>
    advanceSubscription(context, operatorId),
  ),
  openSubscriptionCheckout: activity(context, 'openSubscriptionCheckout', (changeId: string) =>
    openSubscriptionCheckout(context, createPayments(context), changeId),
  ),
  closeSubscriptionCheckout: activity(context, 'closeSubscriptionCheckout', (changeId: string) =>
    closeSubscriptionCheckout(context, createPayments(context), changeId),
  ),
  tellSubscription: activity(context, 'tellSubscription', (operatorId: string) =>
    tellSubscription(context, createPayments(context), operatorId),
  ),
  askSubscription: activity(context, 'askSubscription', (operatorId: string) =>
    askSubscription(context, createPayments(context), operatorId),
  ),
});
