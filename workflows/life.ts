import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  setDefaultSignalHandler,
  workflowInfo,
  type LocalActivityOptions,
} from '@temporalio/workflow';

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

/** Refusals shown at once. */
const REFUSALS_SHOWN = 3;

/** What was asked of a run and not done: a person reads it under what the run waits for. */
export interface Refusals {
  add(sentence: string): void;
  /** The details of the run: its situation, and below it the last refusals. */
  under(situation: string): string;
}

/**
 * Collects refusals, those of signals that nobody handles (the SDK would keep them for ever and say nothing) and of requests to cancel
 * the run among them.
 * @param heard after each, so that the run looks at its row and shows it.
 */
export function collectRefusals(words: { unknownSignal: string; cancelRequest: string }, heard: () => void): Refusals {
  const refused: string[] = [];
  const add = (sentence: string): void => {
    refused.push(sentence);
    heard();
  };
  // The name may be of any length.
  setDefaultSignalHandler((name) => add(`Refused signal ${name.slice(0, 100)}: ${words.unknownSignal}`));
  onCancelRequest(() => add(`Refused to cancel this run: ${words.cancelRequest}`));
  return { add, under: (situation) => [situation, ...refused.slice(-REFUSALS_SHOWN)].join('\n\n') };
}

/** The only way out of a life: a run that returns past a waiting handler is wedged (architecture rule 4). */
export async function leave(): Promise<void> {
  await condition(allHandlersFinished);
}
