import { purgeAuditEvents } from '../src/accounts/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/** Steps of what is done by the calendar; by the rows, so repeating one changes nothing. */
export const accountActivities = (context: Context) => activitiesOf(context, { purgeAuditEvents });
