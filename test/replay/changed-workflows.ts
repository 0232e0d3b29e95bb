import { sleep } from '@temporalio/workflow';
import { skillInvocation as unchanged } from '../../workflows/index.ts';

/** The negative control: the same workflow, but for a timer before everything. No history of it may replay on this code. */
export async function skillInvocation(): Promise<void> {
  await sleep(1_000);
  await unchanged();
}
