import type { Context } from '../src/context/context.ts';
import { actOnSignal, advanceInvocation, type SignalledAct } from '../src/invocations/index.ts';
import { activity } from './activity.ts';

/** The steps of an invocation's life; each is a conditional transaction, so repeating one changes nothing. */
export const invocationActivities = (context: Context) => ({
  advanceInvocation: activity(context, 'advanceInvocation', (id: string) => advanceInvocation(context, id)),
  actOnInvocationSignal: activity(context, 'actOnInvocationSignal', (id: string, act: SignalledAct) =>
    actOnSignal(context, id, act),
  ),
});
