import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { database } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceSession']>>;

/** The life of a session of passports: the deadlines of its checkpoints and checkouts, and the wait for a person's review. */
export const session = (): Promise<string> =>
  live({
    advance: database.advanceSession,
    // A review has no deadline: a person takes the time they need.
    next: ({ open }) => (open ? 'wait' : 'end'),
    act: {},
    describe,
    result: ({ found }) => (found ? 'over' : 'gone'),
    // Cancelling the run is not ending the session: what its agents owe, they still owe.
    refusals: {
      unknownSignal: 'this run takes none; the API does what there is to do.',
      cancelRequest: 'it ends by itself when its agents owe no report and no review is open.',
    },
  });

function describe(step: Step): string {
  if (!step.found) return ended('session', 'gone');
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
