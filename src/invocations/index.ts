export { executeSealedStep } from './execution/execute-step.ts';
export type { ExecutorContext } from './execution/executor.ts';
export { actOnSignal } from './act-on-signal.ts';
export { advanceInvocation } from './advance-invocation.ts';
export { describeInvocations } from './describe-invocations.ts';
export { lookAtInvocations, releaseOrphanedHolds } from './look.ts';
export { purgeInvocationContents } from './purge.ts';
export type { InvocationSummary } from './schema.ts';
