import { setCurrentDetails } from '@temporalio/workflow';
import { outbound } from './steps.ts';

/** Within this a run has asked everybody twice, and the next one begins a minute after it. */
const WITHIN_MS = 50_000;

/** Started once a minute by its schedule, where there are witnesses: asks those who have not signed the newest checkpoint of the log. */
export async function logWitnessing(): Promise<void> {
  const { asked, signed } = await outbound({ withinMs: WITHIN_MS }).askWitnesses();
  setCurrentDetails(asked === 0 ? 'Nobody to ask.' : `${signed} of ${asked} witnesses signed the newest checkpoint.`);
}
