import { purgeAuditEvents } from '../src/accounts/purge-audit-events.ts';
import type { Context } from '../src/context.ts';
import { activity } from './activity.ts';

export const retentionActivities = (context: Context) => ({
  purgeAuditEvents: activity(context, 'purgeAuditEvents', (after: string) => purgeAuditEvents(context, after)),
});
