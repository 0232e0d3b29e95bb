import { continueAsNew, proxyLocalActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { databaseStep } from './life.ts';

const { purgeAuditEvents } = proxyLocalActivities<Activities>(databaseStep);

type Purge = Awaited<ReturnType<Activities['purgeAuditEvents']>>;

/** What a run hands to the one that continues it. */
interface Progress {
  purged: number;
  after: string;
}

/**
 * Started once a day by its schedule: purges what each operator's tier no longer keeps of the audit trail (decisions B22), a thousand
 * events a step. What is due is the rows' to say, so a run too many purges nothing.
 */
export async function retention({ purged, after }: Progress = { purged: 0, after: '' }): Promise<void> {
  for (let next: string | null = after; next !== null; ) {
    const step: Purge = await purgeAuditEvents(next);
    purged += step.purged;
    next = step.after;
    if (next !== null && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof retention>({ purged, after: next });
  }
  setCurrentDetails(purged === 0 ? 'Nothing was older than its operator’s tier keeps it.' : `Purged ${purged} audit events.`);
}
