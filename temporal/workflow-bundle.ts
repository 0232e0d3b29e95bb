import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { dataConverter } from './client.ts';

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const TRACE = fileURLToPath(new URL('../workflows/trace.ts', import.meta.url));

/** The workflow code as one file; a second of work, so once a process. `entry` is another set of workflows, for the negative control of replays. */
export const bundleWorkflows = (entry: string = WORKFLOWS): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({
    workflowsPath: entry,
    workflowInterceptorModules: [TRACE],
    payloadConverterPath: dataConverter.payloadConverterPath as string, // set in client.ts
    logger: new DefaultLogger('WARN'),
  });

/**
 * The workflow code that a worker runs: the file that `scripts/bundle-workflows.ts` wrote, or without one the sources, bundled now.
 * @throws Error when the file cannot be read or the sources cannot be bundled.
 */
export const workflowCode = async (file: string | undefined): Promise<{ code: string }> =>
  file === undefined ? bundleWorkflows() : { code: await readFile(file, 'utf8') };

/** Which workflow code a worker runs: 12 hex digits. */
export const buildIdOf = ({ code }: { code: string }): string =>
  createHash('sha256').update(code).digest('hex').slice(0, 12);
