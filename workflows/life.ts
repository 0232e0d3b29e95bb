import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
  type LocalActivityOptions,
} from '@temporalio/workflow';

/** Wakes any life: it reads its row. Carries nothing (architecture: "it never trusts the message"). */
export const wake = defineSignal('wake');

/** Asked by a caller who waits for what the life makes first, a hosted page for example; what it made is in its row. */
export const ready = defineUpdate<'ready'>('ready');

/** Callers who wait for `ready`. A life that takes them tells them before it leaves: a waiting handler would wedge the run. */
export interface Callers {
  /** To be asked before the row is read: callers who come later are told by a later look. */
  turn(): number;
  /** Answers everybody who had come by `turn`. */
  tell(turn: number): void;
}

/** @param heard at each caller, so that the life looks at its row. */
export function takeCallers(heard: () => void): Callers {
  let asked = 0;
  let told = 0;
  setHandler(ready, async (): Promise<'ready'> => {
    const turn = ++asked;
    heard();
    await condition(() => told >= turn);
    return 'ready';
  });
  return { turn: () => asked, tell: (turn) => void (told = Math.max(told, turn)) };
}

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
