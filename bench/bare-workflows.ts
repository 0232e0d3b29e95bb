import { allHandlersFinished, condition, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import { wake } from '../workflows/life.ts';
import { databaseStep } from '../workflows/steps.ts';

/** Lives without Carnet: the same number of workflow tasks and local activities, with nothing in them. */

const { note, judge } = proxyLocalActivities<{ note(): Promise<void>; judge(id: string): Promise<string> }>(
  databaseStep,
);
const DAY_MS = 86_400_000;

/** Signalled with its start; it runs one local activity and ends in its first task. */
export async function oneTask(): Promise<void> {
  setHandler(wake, () => {});
  await note();
  await condition(allHandlersFinished);
}

/** Waits for a second signal, or for a day, after its first task. */
export async function twoTasks(): Promise<void> {
  let woken = false;
  setHandler(wake, () => void (woken = true));
  woken = false;
  await note();
  await condition(() => woken, DAY_MS);
  await note();
  await condition(allHandlersFinished);
}

/** Started and awaited; one local activity does all there is to do, and what it returns is the result. */
export const judged = (id: string): Promise<string> => judge(id);

export async function nothing(): Promise<void> {}
