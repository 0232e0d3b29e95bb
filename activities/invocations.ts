import { actOnSignal, advanceInvocation } from '../src/invocations/index.ts';
import type { Context } from '../src/context/context.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of an invocation's life; each is a conditional transaction, so repeating one changes nothing. */
export const invocationActivities = (context: Context) => activitiesOf(context, { advanceInvocation, actOnSignal });
