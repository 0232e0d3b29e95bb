import {
  CancellationScope,
  condition,
  continueAsNew,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { collectRefusals, databaseStep, leave, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';

type Step = Awaited<ReturnType<Activities['advanceSession']>>;

/** Cancelling the run is not ending the session: what its agents owe, they still owe. */
const REFUSALS = {
  unknownSignal: 'this run takes none; the API does what there is to do.',
  cancelRequest: 'it ends by itself when its agents owe no report and no review is open.',
};

const { advanceSession } = proxyLocalActivities<Activities>(databaseStep);

/**
 * The life of a session of passports: the deadlines of its checkpoints and checkouts, and the wait for a person's review.
 */
export async function passportSession(): Promise<void> {
  const sessionId = rowId();
  let woken = false;

  setHandler(wake, () => void (woken = true));
  const refusals = collectRefusals(REFUSALS, () => void (woken = true));

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      const step = await advanceSession(sessionId);
      setCurrentDetails(refusals.under(situation(step)));
      if (!step.open) {
        markEnded();
        return await leave();
      }
      if (workflowInfo().continueAsNewSuggested) {
        await leave();
        return await continueAsNew<typeof passportSession>();
      }
      // A review has no deadline: a person takes the time it needs.
      if (step.waitMs === null) await condition(() => woken);
      else await condition(() => woken, step.waitMs);
    }
  });
}

/** What a person reads in the Temporal UI: what the run waits for, and until when. */
function situation(step: Step): string {
  if (!step.found) return 'Ended: there is no such session.';
  if (!step.open) return 'Ended: nothing is owed any more.';
  const awaited: string[] = [];
  if (step.waitsFor === 'checkpoint') {
    awaited.push(
      `checkpoint ${step.checkpoint} of ${step.agentId} until ${step.until}, when it counts as missed; it is due at ${step.due}.`,
    );
  }
  if (step.waitsFor === 'checkout') {
    awaited.push(
      `checkout of ${step.agentId} until ${step.until}, when it counts as missed; it is expected by ${step.due}.`,
    );
  }
  if (step.reviews.length > 0) {
    awaited.push(`review of ${step.reviews.join(', ')} by a person: POST /v1/passports/reviews/:checkoutId/decide.`);
  }
  return awaited.map((what) => `Waits for ${what}`).join('\n\n');
}
