import type { PayoutsProgress } from '../src/billing/payouts/queries.ts';
import { advancePayout, openPayouts, transferPayout } from '../src/billing/payouts/life.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';
import { createPayments } from './payments/index.ts';

/** The steps of payouts; each is a conditional transaction or made under one key, so repeating one changes nothing. */
export const payoutActivities = (context: Context) => ({
  openPayouts: activity(context, 'openPayouts', (progress: PayoutsProgress) => openPayouts(context, progress)),
  advancePayout: activity(context, 'advancePayout', (id: string) => advancePayout(context, id)),
  transferPayout: activity(context, 'transferPayout', (id: string) =>
    transferPayout(context, createPayments(context), id),
  ),
});
