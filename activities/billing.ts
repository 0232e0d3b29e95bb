import {
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
  readPaymentEvents,
  readRefunds,
  requestRefund,
  transferPayout,
} from '../src/billing/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/**
 * The steps of the lives that move money. One in the database is a conditional transaction; one at the provider is made under a key, so
 * the provider does it once, however often it is called.
 */
export const billingActivities = (context: Context) =>
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
    readPaymentEvents,
    readRefunds,
    requestRefund,
    transferPayout,
  });
