import {
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
import { collectRefusals, databaseStep, leave, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { OUTBOUND, OUTBOUND_SILENCE } from './queues.ts';

type Step = Awaited<ReturnType<Activities['advanceRefund']>>;

/** Cancelling the run is not cancelling the refund: the provider may have done it already. */
const REFUSALS = {
  unknownSignal: 'this run takes none; what became of the refund is heard from the payment provider.',
  cancelRequest: 'it ends by itself when the payment provider has said what became of the refund.',
};

const { advanceRefund } = proxyLocalActivities<Activities>(databaseStep);

/** Asked for ever: a refund whose outcome is unknown is neither done nor refused, and its money stays held. */
const { askRefund } = proxyActivities<Activities>({
  taskQueue: OUTBOUND,
  startToCloseTimeout: '30s',
  heartbeatTimeout: OUTBOUND_SILENCE,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** The life of a refund, whose money is held: the provider is asked under one key until it says what became of it. */
export async function refund(): Promise<void> {
  const refundId = rowId();
  let woken = false;
  const hear = (): void => void (woken = true);

  setHandler(wake, hear);
  const refusals = collectRefusals(REFUSALS, hear);

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      const step = await advanceRefund(refundId);
      setCurrentDetails(refusals.under(situation(step)));
      if (step.action === 'end') {
        markEnded();
        return await leave();
      }
      if (workflowInfo().continueAsNewSuggested) {
        await leave();
        return await continueAsNew<typeof refund>();
      }
      if (step.action === 'ask') await askRefund(refundId);
      else await condition(() => woken, step.waitMs ?? 1_000);
    }
  });
}

/** What a person reads in the Temporal UI. */
function situation({ status, action, until }: Step): string {
  if (status === 'gone') return 'Ended: there is no such refund.';
  if (action === 'ask') return 'Has the payment provider refund the payment, again and again until it answers.';
  if (action === 'wait') return `Waits for the bank; asks the payment provider at ${until}.`;
  return `Ended: ${status}.`;
}
