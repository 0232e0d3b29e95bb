import { advanceRefund, askRefund } from '../src/billing/payments/refunds/life.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';
import { createPayments } from './payments/index.ts';

/** The steps of a refund's life; the provider refunds once under its key. */
export const refundActivities = (context: Context) => ({
  advanceRefund: activity(context, 'advanceRefund', (id: string) => advanceRefund(context, id)),
  askRefund: activity(context, 'askRefund', (id: string) => askRefund(context, createPayments(context), id)),
});
