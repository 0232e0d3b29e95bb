import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connectionOptions, dataConverter, openTemporal } from '../../temporal/client.ts';
import { bundleWorkflows } from '../../temporal/workflow-bundle.ts';
import { wake } from '../../workflows/life.ts';
import { nothing, oneTask, twoTasks } from '../bare-workflows.ts';
import { answering, ready, settings } from './child.ts';

/** A worker with the options of temporal/worker.ts on workflows that do nothing, and who starts and signals them. */

export interface LivesRun {
  kind: 'oneTask' | 'twoTasks' | 'nothing';
  lives: number;
}

export interface LivesRan {
  /** Of each phase, from the first step of a life to the last; for `nothing` the whole. */
  seconds: number;
  ids: string[];
}

/** As many as the service's deliverer has. */
const IN_FLIGHT = 8;
/** For runs that are awaited one by one: as many as callers elsewhere. */
const AWAITED = 32;
const TASK_QUEUE = 'bare';

const { temporalAddress } = settings<{ temporalAddress: string }>();
const where = { address: temporalAddress, namespace: 'default', apiKey: undefined, tls: undefined };
const { client } = openTemporal(where);
const connection = await NativeConnection.connect(connectionOptions(where));

let steps: number[] = [];
const note = async (): Promise<void> => void steps.push(performance.now());

const worker = await Worker.create({
  connection,
  namespace: where.namespace,
  taskQueue: TASK_QUEUE,
  workflowBundle: await bundleWorkflows(fileURLToPath(new URL('../bare-workflows.ts', import.meta.url))),
  activities: { note },
  dataConverter,
  maxConcurrentLocalActivityExecutions: 8,
});
void worker.run();

const inFlight = async (count: number, ids: string[], call: (id: string) => Promise<unknown>): Promise<void> => {
  const waiting = ids.values();
  const callOn = async (): Promise<void> => {
    for (const id of waiting) await call(id);
  };
  await Promise.all(Array.from({ length: count }, callOn));
};

/** Signals every life, starting those that have not begun, and waits for the step it causes. @returns seconds from the first to the last */
async function phase(workflow: typeof oneTask, ids: string[]): Promise<number> {
  steps = [];
  await inFlight(IN_FLIGHT, ids, (workflowId) =>
    client.workflow.signalWithStart(workflow, {
      workflowId,
      taskQueue: TASK_QUEUE,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      signal: wake,
    }),
  );
  while (steps.length < ids.length) await new Promise((resolve) => setTimeout(resolve, 5));
  return (Math.max(...steps) - Math.min(...steps)) / 1_000;
}

async function awaited(ids: string[]): Promise<number> {
  const startedAt = performance.now();
  await inFlight(AWAITED, ids, (workflowId) => client.workflow.execute(nothing, { workflowId, taskQueue: TASK_QUEUE }));
  return (performance.now() - startedAt) / 1_000;
}

answering(async ({ kind, lives }: LivesRun): Promise<LivesRan> => {
  const ids = Array.from({ length: lives }, () => `bare:${randomUUID()}`);
  if (kind === 'nothing') return { seconds: await awaited(ids), ids };
  if (kind === 'oneTask') return { seconds: await phase(oneTask, ids), ids };
  return { seconds: (await phase(twoTasks, ids)) + (await phase(twoTasks, ids)), ids };
});
ready();
