import { advanceLog, appendToLog } from '../src/claims/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of the claims log. */
export const claimActivities = (context: Context) => activitiesOf(context, { advanceLog, appendToLog });
