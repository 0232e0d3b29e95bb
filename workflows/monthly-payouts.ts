import { setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { database } from './steps.ts';

/**
 * Started once a month by its schedule: states the month before, a batch of operators a step. Each statement is made once, so a run
 * too many makes none.
 */
export async function monthlyPayouts(): Promise<void> {
  let month: string | null = null;
  let after: string | null = '';
  let [stated, due] = [0, 0];
  while (after !== null) {
    const batch: Awaited<ReturnType<Activities['openPayouts']>> = await database.openPayouts({ month, after });
    month = batch.month;
    after = batch.last;
    stated += batch.opened;
    due += batch.due;
    setCurrentDetails(`Statements of ${month}: ${stated}, of which ${due} are to be paid out.`);
  }
}
