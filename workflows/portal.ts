import {
  ActivityFailure,
  CancellationScope,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { collectRefusals, databaseStep, leave, rowId, takeCallers, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { OUTBOUND, OUTBOUND_SILENCE } from './queues.ts';

const REFUSALS = {
  unknownSignal: 'this run takes none.',
  cancelRequest: 'it ends by itself when the page is open, or a quarter of an hour after it was asked for.',
};

const { advancePortal } = proxyLocalActivities<Activities>(databaseStep);

const { openPortalPage } = proxyActivities<Activities>({
  taskQueue: OUTBOUND,
  startToCloseTimeout: '20s',
  heartbeatTimeout: OUTBOUND_SILENCE,
  scheduleToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
});

/** The life of a page of the provider's portal: opened once, for the caller who waits. */
export async function portalSession(): Promise<void> {
  const portalId = rowId();
  // It looks at its row anyway: nothing that is said to it changes what it does.
  setHandler(wake, () => {});
  const callers = takeCallers(() => {});
  const refusals = collectRefusals(REFUSALS, () => {});

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const status = await advancePortal(portalId);
      if (status !== 'opening') {
        setCurrentDetails(refusals.under(`Ended: ${status === 'gone' ? 'there is no such page' : status}.`));
        callers.tell(Number.MAX_SAFE_INTEGER);
        markEnded();
        return await leave();
      }
      setCurrentDetails(refusals.under('Opens the page at the payment provider.'));
      try {
        await openPortalPage(portalId);
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
      }
    }
  });
}
