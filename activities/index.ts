import type { Context } from '../src/context/context.ts';
import { invocationActivities } from './invocations.ts';
import { mailActivities } from './mail.ts';
import { passportActivities } from './passports.ts';
import { payoutActivities } from './payouts.ts';
import { portalActivities } from './portal.ts';
import { refundActivities } from './refund.ts';
import { retentionActivities } from './retention.ts';
import { signingKeyActivities } from './signing-keys.ts';
import { subscriptionActivities } from './subscription.ts';
import { topUpActivities } from './top-up.ts';

/** Everything that lives do outside of their own deterministic code. */
export const createActivities = (context: Context) => ({
  ...invocationActivities(context),
  ...mailActivities(context),
  ...passportActivities(context),
  ...payoutActivities(context),
  ...portalActivities(context),
  ...refundActivities(context),
  ...retentionActivities(context),
  ...signingKeyActivities(context),
  ...subscriptionActivities(context),
  ...topUpActivities(context),
});

export type Activities = ReturnType<typeof createActivities>;
