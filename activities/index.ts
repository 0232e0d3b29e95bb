import type { Context } from '../src/context/context.ts';
import { billingActivities } from './billing.ts';
import { claimActivities } from './claims.ts';
import { inboundActivities } from './inbound.ts';
import { invocationActivities } from './invocations.ts';
import { mailActivities } from './mail.ts';
import { notificationActivities } from './notifications.ts';
import { passportActivities } from './passports.ts';
import type { Ports } from './ports.ts';
import { retentionActivities } from './retention.ts';

/** Everything that lives do outside of their own deterministic code. */
export const createActivities = (context: Context, { mailer, texter, scanner, models, scripts }: Ports) => ({
  ...billingActivities(context),
  ...claimActivities(context),
  ...inboundActivities({ ...context, scanner, models }),
  ...invocationActivities({ ...context, models, scripts }),
  ...mailActivities({ ...context, mailer }),
  ...notificationActivities({ ...context, mailer, texter }),
  ...passportActivities(context),
  ...retentionActivities(context),
});

export type Activities = ReturnType<typeof createActivities>;
