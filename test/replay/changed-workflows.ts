import { sleep, workflowInfo } from '@temporalio/workflow';
import * as unchanged from '../../workflows/index.ts';

/**
 * The negative control: every workflow, but for a timer before everything. No history may replay on this code. The SDK runs the default
 * export for every type of workflow that has no export of its own.
 */
// oxlint-disable-next-line import/no-default-export -- the SDK takes it for every type of workflow
export default async function changed(...args: unknown[]): Promise<unknown> {
  await sleep(1_000);
  const workflows: Partial<Record<string, (...args: never[]) => Promise<unknown>>> = unchanged;
  return await workflows[workflowInfo().workflowType]?.(...(args as never[]));
}
