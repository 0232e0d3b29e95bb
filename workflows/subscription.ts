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

type Step = Awaited<ReturnType<Activities['advanceSubscription']>>;

const REFUSALS = {
  unknownSignal: 'this run takes none; the API does what there is to do.',
  cancelRequest: 'POST /v1/billing/cancel-subscription cancels the subscription; the run ends when it is over.',
};

const { advanceSubscription } = proxyLocalActivities<Activities>(databaseStep);

/** Given up after a minute, so that the rows decide anew what is most needed; a provider that is away is asked again then. */
const { closeSubscriptionCheckout, openSubscriptionCheckout, tellSubscription, askSubscription } =
  proxyActivities<Activities>({
    taskQueue: OUTBOUND,
    startToCloseTimeout: '20s',
    heartbeatTimeout: OUTBOUND_SILENCE,
    scheduleToCloseTimeout: '1m',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
  });

/**
 * The one long life of an operator's subscription: opens its checkouts, tells the provider what the operator decides, and asks it when
 * something was heard, when a checkout expires and at the end of each period.
 */
export async function operatorSubscription(): Promise<void> {
  const operatorId = rowId();
  let woken = false;

  setHandler(wake, () => void (woken = true));
  const callers = takeCallers(() => void (woken = true));
  const refusals = collectRefusals(REFUSALS, () => void (woken = true));

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      const turn = callers.turn();
      const step = await advanceSubscription(operatorId);
      setCurrentDetails(refusals.under(situation(step)));
      if (step.todo !== 'open' && step.todo !== 'close') callers.tell(turn);
      if (step.todo === 'end' || step.todo === 'gone') {
        markEnded();
        // Who asked meanwhile asks the next run.
        callers.tell(Number.MAX_SAFE_INTEGER);
        return await leave();
      }
      if (step.todo !== 'wait') {
        await doAtProvider(operatorId, step);
        continue;
      }
      if (workflowInfo().continueAsNewSuggested) {
        callers.tell(Number.MAX_SAFE_INTEGER);
        await leave();
        return await continueAsNew<typeof operatorSubscription>();
      }
      if (step.waitMs === null) await condition(() => woken);
      else await condition(() => woken, step.waitMs);
    }
  });
}

/** What fails is not lost: the row says so still, and the next look begins it again. */
async function doAtProvider(operatorId: string, { todo, changeId }: Step): Promise<void> {
  try {
    if (todo === 'close') await closeSubscriptionCheckout(changeId ?? '');
    if (todo === 'open') await openSubscriptionCheckout(changeId ?? '');
    if (todo === 'tell') await tellSubscription(operatorId);
    if (todo === 'ask') await askSubscription(operatorId);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
  }
}

/** What a person reads in the Temporal UI: what the run waits for, and until when. */
function situation({ todo, status, tier, until, changeId }: Step): string {
  switch (todo) {
    case 'gone':
      return 'Ended: this operator has never asked for a subscription.';
    case 'end':
      return 'Ended: nothing is bought and nothing waits to be paid.';
    case 'close':
      return `Closes the checkout of ${changeId ?? ''}, which was given up.`;
    case 'open':
      return `Opens the checkout of ${changeId ?? ''} for tier ${tier ?? ''}.`;
    case 'tell':
      return 'Tells the payment provider what was decided.';
    case 'ask':
      return 'Asks the payment provider how things stand.';
    case 'wait':
      return changeId === null
        ? `Tier ${tier ?? ''}, ${status ?? ''}. Asks the payment provider at the end of the period, ${until ?? ''}.`
        : `Waits for the payment of ${changeId} for tier ${tier ?? ''} until ${until ?? ''}.`;
  }
}
