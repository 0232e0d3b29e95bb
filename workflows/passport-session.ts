import {
  CancellationScope,
  condition,
  continueAsNew,
  proxyLocalActivities,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { databaseStep, leave, onCancelRequest, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';

type Step = Awaited<ReturnType<Activities['advanceSession']>>;

/** Cancelling the run is not ending the session: what its agents owe, they still owe. */
const CANCEL_REQUEST_REFUSED =
  'Refused to cancel this run: POST /v1/passports/revoke-session ends the session, and then the run.';

/** The name may be of any length. */
const unknownSignal = (name: string): string =>
  `Refused signal ${name.slice(0, 100)}: this run takes none; the API does what there is to do.`;

/** Refusals shown at once. */
const REFUSALS_SHOWN = 3;

const { advanceSession } = proxyLocalActivities<Activities>(databaseStep);

/**
 * The life of a session of passports: the deadlines of its checkpoints and checkouts, and the wait for a person's review.
 */
export async function passportSession(): Promise<void> {
  const sessionId = rowId();
  const refusals: string[] = [];
  let woken = false;

  setHandler(wake, () => void (woken = true));
  const refuse = (sentence: string): void => {
    refusals.push(sentence);
    woken = true;
  };
  setDefaultSignalHandler((name) => refuse(unknownSignal(name)));
  onCancelRequest(() => refuse(CANCEL_REQUEST_REFUSED));

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      const step = await advanceSession(sessionId);
      setCurrentDetails([situation(step), ...refusals.slice(-REFUSALS_SHOWN)].join('\n\n'));
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
    awaited.push(`checkpoint ${step.checkpoint} of ${step.agentId} until ${step.until}`);
  }
  if (step.waitsFor === 'checkout') awaited.push(`checkout of ${step.agentId} until ${step.until}`);
  if (step.reviews.length > 0) awaited.push(`review of ${step.reviews.join(', ')}`);
  return `Waits for ${awaited.join(', ')}.`;
}
