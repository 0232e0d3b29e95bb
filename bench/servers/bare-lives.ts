import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
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

/** A signal to every life, and the step it causes: the first and the last of them, milliseconds since 1970. */
export interface Phase {
  first: number;
  last: number;
}

export interface LivesRan {
  /** One a workflow task. */
  phases: Phase[];
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
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect(connectionOptions(where));

let steps: number[] = [];
const note = async (): Promise<void> => void steps.push(Date.now());

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

/** Signals every life, starting those that have not begun, and waits for the step it causes. */
async function phase(workflow: typeof oneTask, ids: string[]): Promise<Phase> {
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
  while (steps.length < ids.length) await pause(5);
  return { first: Math.min(...steps), last: Math.max(...steps) };
}

async function awaited(ids: string[]): Promise<Phase> {
  const first = Date.now();
  await inFlight(AWAITED, ids, (workflowId) => client.workflow.execute(nothing, { workflowId, taskQueue: TASK_QUEUE }));
  return { first, last: Date.now() };
}

answering(async ({ kind, lives }: LivesRun): Promise<LivesRan> => {
  const ids = Array.from({ length: lives }, () => `bare:${randomUUID()}`);
  if (kind === 'nothing') return { phases: [await awaited(ids)], ids };
  if (kind === 'oneTask') return { phases: [await phase(oneTask, ids)], ids };
  return { phases: [await phase(twoTasks, ids), await phase(twoTasks, ids)], ids };
});
ready();
