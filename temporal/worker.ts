import { hostname } from 'node:os';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import type { Context } from '../src/context.ts';
import { connectionOptions, dataConverter } from './client.ts';
import { forwardLogs } from './logs.ts';
import { createOutage } from './outage.ts';
import { TaskQueue } from './task-queues.ts';
import { buildIdOf, bundleWorkflows } from './workflow-bundle.ts';

/** Never more than the worker's pool has connections (architecture rule 13). */
const MAX_LOCAL_ACTIVITIES = 8;
/** At a stop, what runs may end within this; a step in the database takes 5 s at most. */
const GRACE_MS = 5_000;

export interface RunningWorker {
  /** Resolves when the worker polls for the first time. */
  polling: Promise<void>;
  /** Finishes the tasks in hand and resolves when nothing of the worker runs any more. */
  stop(): Promise<void>;
}

/**
 * Works on lives until it is stopped: connects, polls, and whatever ends that, begins anew (architecture rule 16). Returns when the
 * workflow code is bundled, half a second, whether Temporal answers or not. `activities` are
 * `createActivities(context)`, over a context with a pool of its own.
 * @throws Error when the workflow code cannot be bundled.
 */
export async function runWorker(context: Context, activities: Activities): Promise<RunningWorker> {
  const { log, config } = context;
  forwardLogs(log);
  const outage = createOutage(log, {
    gone: 'the worker has no connection to Temporal; it tries again until it has',
    back: 'the worker is connected to Temporal again',
  });
  const workflowBundle = await bundleWorkflows();
  const stopping = new AbortController();
  const { promise: polling, resolve: isPolling } = Promise.withResolvers<void>();
  let worker: Worker | undefined;

  const workOnce = async (): Promise<void> => {
    const connection = await NativeConnection.connect(connectionOptions(config.temporal));
    try {
      worker = await Worker.create({
        connection,
        namespace: config.temporal.namespace,
        taskQueue: TaskQueue.lives,
        workflowBundle,
        activities,
        dataConverter,
        identity: `carnet-worker ${process.pid}@${hostname()}`,
        workerDeploymentOptions: {
          version: { deploymentName: 'carnet', buildId: buildIdOf(workflowBundle) },
          useWorkerVersioning: false,
        },
        maxConcurrentLocalActivityExecutions: MAX_LOCAL_ACTIVITIES,
        shutdownGraceTime: GRACE_MS,
      });
      const ended = worker.run();
      outage.over();
      isPolling();
      if (stopping.signal.aborted) worker.shutdown();
      await ended;
    } finally {
      worker = undefined;
      await connection.close();
    }
  };

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await workOnce();
      } catch (error) {
        outage.seen(error);
        await outage.pause(stopping.signal);
      }
    }
  };

  const ended = work();
  return {
    polling,
    async stop() {
      stopping.abort();
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}
