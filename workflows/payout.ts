import {
  CancellationScope,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { collectRefusals, databaseStep, leave, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { OUTBOUND, OUTBOUND_SILENCE } from './queues.ts';

type State = Awaited<ReturnType<Activities['advancePayout']>>;

/** Money is on its way, or about to be: cancelling the run would leave it there. */
const REFUSALS = {
  unknownSignal: 'this run takes none; it goes on by itself.',
  cancelRequest: 'it ends when the payment provider has said what became of the transfer.',
};

const { advancePayout } = proxyLocalActivities<Activities>(databaseStep);

/** Tried until the provider says yes or no, under one key: an unknown outcome is no failure (architecture rule 7). */
const { transferPayout } = proxyActivities<Activities>({
  taskQueue: OUTBOUND,
  startToCloseTimeout: '1m',
  heartbeatTimeout: OUTBOUND_SILENCE,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10m' },
});

/** The life of a payout: its transfer by the payment provider, and what became of it. */
export async function payout(): Promise<void> {
  const payoutId = rowId();
  let state: State = 'due';
  let woken = false;

  // At once, since a transfer may take long.
  const show = (): void => setCurrentDetails(refusals.under(SITUATIONS[state]));
  setHandler(wake, () => void (woken = true));
  const refusals = collectRefusals(REFUSALS, show);

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      woken = false;
      state = await advancePayout(payoutId);
      show();
      if (state === 'transferring') {
        await transferPayout(payoutId);
      } else if (state === 'due') {
        // Until a worker that has a payment provider wakes it, or the next month takes it over.
        await condition(() => woken);
      } else {
        markEnded();
        return await leave();
      }
    }
  });
}

/** What a person reads in the Temporal UI. */
const SITUATIONS: Record<State, string> = {
  due: 'Waits for a payment provider to be configured; the next month takes it over where there is none until then.',
  transferring: 'Has the payment provider transfer it, again and again under one key until it answers.',
  paid: 'Ended: paid.',
  failed:
    "Ended: the payment provider refused it for good. The money is back among the earnings, and part of the next month's payout.",
  rolled_over: "Ended: part of the next month's payout.",
  pending_account: "Ended: the operator has no payout account, so it is part of the next month's payout.",
  gone: 'Ended: there is no such payout.',
};
