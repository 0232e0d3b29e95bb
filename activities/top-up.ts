import { advanceTopUp, askTopUp, openTopUp, seekReceipt } from '../src/billing/payments/top-ups/life.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';
import { createPayments } from './payments/index.ts';

/** The steps of a top-up's life; the provider does each once, however often it is asked. */
export const topUpActivities = (context: Context) => ({
  advanceTopUp: activity(context, 'advanceTopUp', (id: string) => advanceTopUp(context, id)),
  openTopUp: activity(context, 'openTopUp', (id: string) => openTopUp(context, createPayments(context), id)),
  askTopUp: activity(context, 'askTopUp', (id: string) => askTopUp(context, createPayments(context), id)),
  seekReceipt: activity(context, 'seekReceipt', (id: string) => seekReceipt(context, createPayments(context), id)),
});
