import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { database } from './steps.ts';

/** How far a run has come, and what it hands to the one that continues it. */
interface Progress {
  /** The month that is stated; null until the first step says which. */
  month: string | null;
  /** The operator after whom the next batch begins. */
  after: string;
  stated: number;
  due: number;
}

/**
 * Started once a month by its schedule: states the month before, a batch of operators a step. Each statement is made once, so a run
 * too many makes none.
 */
export async function monthlyPayouts(begun: Progress = { month: null, after: '', stated: 0, due: 0 }): Promise<void> {
  let { month, after, stated, due } = begun;
  for (;;) {
    const batch = await database.openPayouts({ month, after });
    month = batch.month;
    stated += batch.opened;
    due += batch.due;
    setCurrentDetails(`Statements of ${month}: ${stated}, of which ${due} are to be paid out.`);
    if (batch.last === null) return;
    after = batch.last;
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof monthlyPayouts>({ month, after, stated, due });
  }
}
