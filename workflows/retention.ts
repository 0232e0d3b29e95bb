import {
  ActivityFailure,
  continueAsNew,
  patched,
  proxyLocalActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { database, databaseStep } from './steps.ts';

/** How far a run has come, and what it hands to the one that continues it. */
interface Progress {
  /** By the name of what was purged. */
  purged: Record<string, number>;
  /** Null: everything was looked at. */
  next: { content: string | null; from: string } | null;
}

/**
 * Started once a day by its schedule: purges what each operator's tier no longer keeps, some hundreds a step. What is due is the rows' to say,
 * so a run too many purges nothing.
 */
export async function retention(begun?: Progress | ProgressBefore): Promise<void> {
  if (await endsAsBefore(begun)) return;
  // The progress of an older release says nothing here: such a run begins from the beginning.
  const { purged, next }: Progress =
    begun !== undefined && 'next' in begun ? begun : { purged: {}, next: { content: null, from: '' } };
  for (let place = next; place !== null;) {
    const batch = await database.purgeContents(place);
    if (batch.purged > 0) purged[batch.content] = (purged[batch.content] ?? 0) + batch.purged;
    place = batch.next;
    if (place !== null && workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof retention>({ purged, next: place });
  }
  const parts = Object.entries(purged).map(([content, count]) => `${content} (${count})`);
  setCurrentDetails(
    parts.length === 0 ? 'Nothing was older than its operator’s tier keeps it.' : `Purged ${parts.join(', ')}.`,
  );
}

/** How far a run had come under a release that had a step for each content. */
interface ProgressBefore {
  events: number;
  contents: number;
  of: 'events' | 'contents';
  after: string | null;
}

type StepBefore = (after: string) => Promise<{ purged: number; after: string | null }>;

/** No worker has these steps any more: they are there to replay what has happened. */
const before = proxyLocalActivities<{ purgeAuditEvents: StepBefore; purgeInboundContents: StepBefore }>({
  ...databaseStep,
  retry: { maximumAttempts: 1 },
});

/** Goes through what a run did under a release that had a step for each content. @returns whether that run had ended; if not, it goes on as now */
async function endsAsBefore(begun: Progress | ProgressBefore | undefined): Promise<boolean> {
  let progress: ProgressBefore =
    begun !== undefined && 'of' in begun ? begun : { events: 0, contents: 0, of: 'events', after: '' };
  while (progress.after !== null) {
    if (patched('one step for all contents')) return false;
    try {
      progress = await oneStepBefore(progress, progress.after);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
    if (progress.after !== null && workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof retention>(progress);
  }
  return true;
}

async function oneStepBefore(progress: ProgressBefore, from: string): Promise<ProgressBefore> {
  const isOfEvents = progress.of === 'events';
  const { purged, after } = await (isOfEvents ? before.purgeAuditEvents(from) : before.purgeInboundContents(from));
  const next: ProgressBefore = { ...progress, after, [progress.of]: progress[progress.of] + purged };
  return isOfEvents && after === null ? { ...next, of: 'contents', after: '' } : next;
}
