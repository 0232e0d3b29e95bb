import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { outbound } from './steps.ts';

type Reading = Awaited<ReturnType<Activities['readPaymentEvents']>>;

/**
 * Started once a day by its schedule: reads the payment provider's own list of events, a page a step, and applies what no webhook
 * brought. An event counts once, so a run too many applies nothing.
 */
export async function paymentEvents(begun: Reading | null = null): Promise<void> {
  let reading = begun;
  do {
    reading = await outbound().readPaymentEvents(reading);
    if (!reading.isOver && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof paymentEvents>(reading);
  } while (!reading.isOver);
  setCurrentDetails(
    `Events since ${reading.since}: ${reading.missed} were brought by no webhook, ${reading.failed} could not be applied.`,
  );
}
