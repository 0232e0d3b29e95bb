import { allHandlersFinished, condition, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import { wake } from '../workflows/life.ts';
import { databaseStep } from '../workflows/steps.ts';

/** What lives would be without Carnet: as many workflow tasks, as many local activities, and nothing in them. */

const { note } = proxyLocalActivities<{ note(): Promise<void> }>(databaseStep);
const A_DAY = 86_400_000;

/** Signalled with its start, one local activity, over in its first task. */
export async function oneTask(): Promise<void> {
  setHandler(wake, () => {});
  await note();
  await condition(allHandlersFinished);
}

/** Waits for a second signal, or a day, after its first task. */
export async function twoTasks(): Promise<void> {
  let woken = false;
  setHandler(wake, () => void (woken = true));
  woken = false;
  await note();
  await condition(() => woken, A_DAY);
  await note();
  await condition(allHandlersFinished);
}

export async function nothing(): Promise<void> {}
