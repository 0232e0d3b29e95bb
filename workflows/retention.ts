import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { database } from './steps.ts';

/** How far a run has come, and what it hands to the one that continues it. */
interface Progress {
  events: number;
  contents: number;
  /** Names what is being purged, and after which operator; null: every operator was looked at. */
  of: 'events' | 'contents';
  after: string | null;
}

/**
 * Started once a day by its schedule: purges what each operator's tier no longer keeps of the audit trail and of what providers sent, some
 * hundreds a step. What is due is the rows' to say, so a run too many purges nothing.
 */
export async function retention(begun: Progress = { events: 0, contents: 0, of: 'events', after: '' }): Promise<void> {
  let progress = begun;
  while (progress.after !== null) {
    progress = await oneStep(progress, progress.after);
    if (progress.after !== null && workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof retention>(progress);
  }
  const { events, contents } = progress;
  setCurrentDetails(
    events + contents === 0
      ? 'Nothing was older than its operator’s tier keeps it.'
      : `Purged ${events} audit events and the contents of ${contents} inbound events.`,
  );
}

async function oneStep(progress: Progress, from: string): Promise<Progress> {
  const isOfEvents = progress.of === 'events';
  const { purged, after } = await (isOfEvents ? database.purgeAuditEvents(from) : database.purgeInboundContents(from));
  const next: Progress = { ...progress, after, [progress.of]: progress[progress.of] + purged };
  return isOfEvents && after === null ? { ...next, of: 'contents', after: '' } : next;
}
