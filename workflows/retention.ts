import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { database } from './steps.ts';

/** How far a run has come, and what it hands to the one that continues it. */
type Progress = Awaited<ReturnType<Activities['purgeAuditEvents']>>;

/**
 * Started once a day by its schedule: purges what each operator's tier no longer keeps of the audit trail, a thousand
 * events a step. What is due is the rows' to say, so a run too many purges nothing.
 */
export async function retention(begun: Progress = { purged: 0, after: '' }): Promise<void> {
  let { purged, after } = begun;
  while (after !== null) {
    const step: Progress = await database.purgeAuditEvents(after);
    purged += step.purged;
    after = step.after;
    if (after !== null && workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof retention>({ purged, after });
  }
  setCurrentDetails(
    purged === 0 ? 'Nothing was older than its operator’s tier keeps it.' : `Purged ${purged} audit events.`,
  );
}
