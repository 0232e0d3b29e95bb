import {
  ActivityFailure,
  CancellationScope,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { databaseStep, leave, onCancelRequest, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { OUTBOUND, OUTBOUND_SILENCE } from './queues.ts';

type Step = Awaited<ReturnType<Activities['advanceMail']>>;

const { advanceMail } = proxyLocalActivities<Activities>(databaseStep);

/** Where the row does not say how long. */
const AT_LEAST_MS = 1_000;

/** Tried until the mail's time is over; a mail server that is away is asked once a minute. */
const sendUntilOver = (waitMs: number | null) =>
  proxyActivities<Activities>({
    taskQueue: OUTBOUND,
    startToCloseTimeout: '1m',
    heartbeatTimeout: OUTBOUND_SILENCE,
    scheduleToCloseTimeout: waitMs ?? AT_LEAST_MS,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  }).sendMail;

/** The life of a mail: sent by somebody's mail server, or given up when nobody wants it any more. */
export async function mailMessage(): Promise<void> {
  const mailId = rowId();
  // It looks at its row anyway: nothing that is said to it changes what it does.
  setHandler(wake, () => {});
  setDefaultSignalHandler(() => {});
  onCancelRequest(() => setCurrentDetails('Refused to cancel this run: the mail is wanted until its time is over.'));

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const step = await advanceMail(mailId);
      setCurrentDetails(situation(step));
      if (!step.open) {
        markEnded();
        return await leave();
      }
      try {
        await sendUntilOver(step.waitMs)(mailId);
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
      }
    }
  });
}

/** What a person reads in the Temporal UI. */
function situation({ open, status, expiresAt }: Step): string {
  if (open) return `Sends the mail, again and again until ${expiresAt ?? 'it is taken'}.`;
  return status === 'gone' ? 'Ended: there is no such mail.' : `Ended: ${status}.`;
}
