import { advanceLog, appendToLog, askWitnesses } from '../src/claims/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of the life of the claims log, and of asking its witnesses. */
export const claimActivities = (context: Context) => activitiesOf(context, { advanceLog, appendToLog, askWitnesses });
