import { advancePortal, openPortalPage } from '../src/billing/subscriptions/portal/life.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';
import { createPayments } from './payments/index.ts';

/** The steps of the life of a portal session. */
export const portalActivities = (context: Context) => ({
  advancePortal: activity(context, 'advancePortal', (id: string) => advancePortal(context, id)),
  openPortalPage: activity(context, 'openPortalPage', (id: string) =>
    openPortalPage(context, createPayments(context), id),
  ),
});
