import type { Context } from '../src/context/context.ts';
import { purgeContents } from '../src/retention/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The step of the run that purges once a day; what is due is the rows' to say, so repeating it changes nothing. */
export const retentionActivities = (context: Context) => activitiesOf(context, { purgeContents });
