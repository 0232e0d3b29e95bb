import { allHandlersFinished, condition, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import { wake } from '../workflows/life.ts';
import { databaseStep } from '../workflows/steps.ts';

/** Lives without Carnet: the same number of workflow tasks and local activities, with nothing in them. */

const { note } = proxyLocalActivities<{ note(): Promise<void> }>(databaseStep);
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

export async function nothing(): Promise<void> {}
