import { sleep } from '@temporalio/workflow';
import * as unchanged from '../../workflows/index.ts';

/** The negative control: the same workflows, but for a timer before everything. No history of theirs may replay on this code. */
export async function skillInvocation(): Promise<void> {
  await sleep(1_000);
  await unchanged.skillInvocation();
}

export async function mailMessage(): Promise<void> {
  await sleep(1_000);
  await unchanged.mailMessage();
}

export async function passportSession(): Promise<void> {
  await sleep(1_000);
  await unchanged.passportSession();
}
