import { allHandlersFinished, CancellationScope, condition, defineSignal, workflowInfo, type LocalActivityOptions } from '@temporalio/workflow';

/** Wakes any life: it reads its row. Carries nothing (architecture: "it never trusts the message"). */
export const wake = defineSignal('wake');

/**
 * A step in the database, run inside the workflow task (architecture rule 2). It is tried for ever, so that a life outlives a
 * restart of the database; waits above 2 s become timers of the server and hold no worker.
 */
export const databaseStep: LocalActivityOptions = {
  startToCloseTimeout: '5s',
  localRetryThreshold: '2s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
};

/** The id of the row whose life this is: what follows the kind in the workflow id, so no argument can contradict it. */
export function rowId(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.indexOf(':') + 1);
}

/** Calls back when somebody asks Temporal to cancel the run. To be called before the life enters a scope of its own. */
export function onCancelRequest(listener: () => void): void {
  CancellationScope.current().cancelRequested.catch(listener);
}

/** The only way out of a life: a run that returns past a waiting handler is wedged (architecture rule 4). */
export async function leave(): Promise<void> {
  await condition(allHandlersFinished);
}
