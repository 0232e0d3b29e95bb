import { purgeAuditEvents } from '../src/accounts/audit/purge.ts';
import type { Context } from '../src/context/context.ts';
import { activity } from './activity.ts';

export const retentionActivities = (context: Context) => ({
  purgeAuditEvents: activity(context, 'purgeAuditEvents', (after: string) => purgeAuditEvents(context, after)),
});
