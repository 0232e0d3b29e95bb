export { actOnSignal, type SignalledAct, type SignalOutcome } from './act-on-signal.ts';
export { advanceInvocation, type InvocationStep } from './advance-invocation.ts';
export { describeInvocations, type InvocationDescription } from './describe-invocations.ts';
export { reconcileInvocations, type Reconciliation } from './reconcile-invocations.ts';
