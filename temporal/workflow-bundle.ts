import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { dataConverter } from './client.ts';

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** The workflow code as one file; half a second, so once a process. `entry` is another set of workflows, for the negative control of replays. */
export const bundleWorkflows = (entry: string = WORKFLOWS): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({
    workflowsPath: entry,
    payloadConverterPath: dataConverter.payloadConverterPath as string, // set in client.ts
    logger: new DefaultLogger('WARN'),
  });

/** Which workflow code a worker runs: 12 hex digits. */
export const buildIdOf = ({ code }: WorkflowBundleWithSourceMap): string => createHash('sha256').update(code).digest('hex').slice(0, 12);
