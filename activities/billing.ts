import { advancePayout, openPayouts, transferPayout } from '../src/billing/payouts/life.ts';
import type { PaymentsContext } from '../src/billing/payments/provider.ts';
import { advancePortal, openPortalPage } from '../src/billing/subscriptions/portal/life.ts';
import { advanceRefund, requestRefund } from '../src/billing/payments/refunds/life.ts';
import { closeSubscriptionCheckout, openSubscriptionCheckout } from '../src/billing/subscriptions/checkout.ts';
import { advanceSubscription, fetchSubscription, pushSubscription } from '../src/billing/subscriptions/life.ts';
import { advanceTopUp, checkTopUp, fetchReceipt, openTopUp } from '../src/billing/payments/top-ups/life.ts';
import { activitiesOf } from './activities-of.ts';

/**
 * The steps of the lives that move money. One in the database is a conditional transaction; one at the provider is made under a key, so
 * the provider does it once, however often it is called.
 */
export const billingActivities = (context: PaymentsContext) =>
  activitiesOf(context, {
    advancePayout,
    advancePortal,
    advanceRefund,
    advanceSubscription,
    advanceTopUp,
    checkTopUp,
    closeSubscriptionCheckout,
    fetchReceipt,
    fetchSubscription,
    openPayouts,
    openPortalPage,
    openSubscriptionCheckout,
    openTopUp,
    pushSubscription,
    requestRefund,
    transferPayout,
  });
