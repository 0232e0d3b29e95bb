import { actOnSignal, advanceInvocation, executeSealedStep, type ExecutorContext } from '../src/invocations/index.ts';
import { activitiesOf } from './activities-of.ts';

/** The steps of an invocation's life; each is a conditional transaction, or between two of them, so repeating one changes nothing. */
export const invocationActivities = (context: ExecutorContext) =>
  activitiesOf(context, { advanceInvocation, actOnSignal, executeSealedStep });
