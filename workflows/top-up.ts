import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { collectRefusals, databaseStep, leave, rowId, takeCallers, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { OUTBOUND, OUTBOUND_SILENCE } from './queues.ts';

type Step = Awaited<ReturnType<Activities['advanceTopUp']>>;

/** Cancelling the run is not cancelling the payment: somebody may be paying at this moment. */
const REFUSALS = {
  unknownSignal: 'this run takes none; what was paid is heard from the payment provider.',
  cancelRequest: 'it ends by itself when the checkout is paid or its time is over.',
};

const { advanceTopUp } = proxyLocalActivities<Activities>(databaseStep);

/** Every call to the provider is made under a key, so it is made again until there is an answer, or nobody wants one. */
const outbound = (waitMs: number | null) =>
  proxyActivities<Activities>({
    taskQueue: OUTBOUND,
    startToCloseTimeout: '30s',
    heartbeatTimeout: OUTBOUND_SILENCE,
    ...(waitMs !== null && { scheduleToCloseTimeout: waitMs }),
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });

/** The life of a top-up: opens its checkout, waits until it is paid or over, and asks the provider before it gives up. */
export async function topUp(): Promise<void> {
  const topUpId = rowId();
  let woken = false;
  const hear = (): void => void (woken = true);

  setHandler(wake, hear);
  const callers = takeCallers(hear);
  const refusals = collectRefusals(REFUSALS, hear);

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      const turn = callers.turn();
      const step = await advanceTopUp(topUpId);
      setCurrentDetails(refusals.under(situation(step)));
      if (step.status !== 'opening') callers.tell(turn);
      if (step.action === 'end') {
        markEnded();
        callers.tell(Number.MAX_SAFE_INTEGER);
        return await leave();
      }
      if (workflowInfo().continueAsNewSuggested) {
        callers.tell(Number.MAX_SAFE_INTEGER);
        await leave();
        return await continueAsNew<typeof topUp>();
      }
      if (step.action === 'wait') await condition(() => woken, step.waitMs ?? 1_000);
      else await act(step, topUpId);
    }
  });
}

async function act({ action, waitMs }: Step, topUpId: string): Promise<void> {
  try {
    if (action === 'open') await outbound(waitMs).openTopUp(topUpId);
    else if (action === 'receipt') await outbound(waitMs).seekReceipt(topUpId);
    else await outbound(null).askTopUp(topUpId);
  } catch (error) {
    // Its time is over: the row says what that means.
    if (!(error instanceof ActivityFailure)) throw error;
  }
}

/** What a person reads in the Temporal UI. */
function situation({ status, action, until }: Step): string {
  if (status === 'gone') return 'Ended: there is no such top-up.';
  if (action === 'open') return `Opens the checkout at the payment provider, again and again until ${until}.`;
  if (action === 'ask') return 'Asks the payment provider what became of the checkout.';
  if (action === 'receipt') return 'Paid. Asks the payment provider for the receipt.';
  if (action === 'wait' && status === 'open')
    return `Waits for the payment until ${until}, then asks the payment provider.`;
  if (action === 'wait') return `Waits for a payment that takes days; asks the payment provider at ${until}.`;
  return `Ended: ${status}.`;
}
