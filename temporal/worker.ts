import { hostname } from 'node:os';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import type { Context } from '../src/context/context.ts';
import { connectionOptions, dataConverter } from './client.ts';
import { createOutage } from './outage.ts';
import { openRuntime } from './runtime.ts';
import { TaskQueue } from './task-queues.ts';
import { traceOfSteps } from './traces.ts';
import { buildIdOf, workflowCode } from './workflow-bundle.ts';

/** Never more than the worker's pool has connections: eight. */
const MAX_LOCAL_ACTIVITIES = 8;
/** Steps that wait for others' servers, each for seconds; they hold a socket and no connection of the pool meanwhile. */
const MAX_OUTBOUND_ACTIVITIES = 20;
/** Destinations that a worker sends to in parallel, each with up to eight calls. */
const MAX_RECEIVER_ACTIVITIES = 64;
/** Forwards that a worker makes in parallel, and questions to models about inbound events. */
const MAX_FORWARD_ACTIVITIES = 64;
/** Steps of skills that wait for a place on this machine or run on it: what runs in parallel is bounded where it runs, in turns of operators. */
const MAX_SEALED_ACTIVITIES = 200;
/** Long polls on the queues of those steps: they are quiet. */
const OUTBOUND_POLLS = 2;
/** At a stop, what runs may end within this; a step in the database takes 5 s at most. */
const GRACE_MS = 5_000;

export interface RunningWorker {
  /** Resolves when the worker polls for the first time. */
  polling: Promise<void>;
  /** Whether all of its queues are polled now. */
  isPolling(): boolean;
  /** Finishes the tasks in hand and resolves when nothing of the worker runs any more. */
  stop(): Promise<void>;
}

/**
 * Works on lives until it is stopped: connects, polls, and begins again after anything that ends that. Returns when the
 * workflow code is there, a second where it must be bundled first, whether Temporal answers or not. `activities` are
 * `createActivities(context, ports)`, over a context with a pool of its own.
 * @throws Error when the workflow code can be neither read nor bundled.
 */
export async function runWorker(context: Context, activities: Activities): Promise<RunningWorker> {
  const { log, config } = context;
  await openRuntime(log);
  const outage = createOutage(log, {
    gone: 'the worker has no connection to Temporal; it tries again until it has',
    back: 'the worker is connected to Temporal again',
  });
  const workflowBundle = await workflowCode(config.workflowBundle);
  const stopping = new AbortController();
  const { promise: polling, resolve: isPolling } = Promise.withResolvers<void>();
  let workers: Worker[] = [];
  const shutDown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };

  const workOnce = async (): Promise<void> => {
    const connection = await NativeConnection.connect(connectionOptions(config.temporal));
    try {
      const shared = {
        connection,
        namespace: config.temporal.namespace,
        activities,
        dataConverter,
        interceptors: { activity: [traceOfSteps] },
        identity: `carnet-worker ${process.pid}@${hostname()}`,
        shutdownGraceTime: GRACE_MS,
      };
      const queues = config.workerQueues;
      workers = [
        ...(queues === 'sealed' ? [] : await workersOfLives(shared, workflowBundle)),
        ...(queues === 'others' ? [] : [await workerOfSkills(shared)]),
      ];
      // One that ends by a fault takes the others with it: all begin again.
      const ended = Promise.allSettled(workers.map((worker) => worker.run().finally(shutDown)));
      outage.over();
      isPolling();
      if (stopping.signal.aborted) shutDown();
      for (const outcome of await ended) if (outcome.status === 'rejected') throw outcome.reason;
    } finally {
      workers = [];
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
    isPolling: () => workers.length > 0 && workers.every((worker) => worker.getState() === 'RUNNING'),
    async stop() {
      stopping.abort();
      shutDown();
      await ended;
    },
  };
}

type Shared = Pick<
  WorkerOptions,
  'connection' | 'namespace' | 'activities' | 'dataConverter' | 'interceptors' | 'identity' | 'shutdownGraceTime'
>;

/** Lives, and the steps of theirs that reach out. */
const workersOfLives = (shared: Shared, workflowBundle: { code: string }): Promise<Worker[]> =>
  Promise.all([
    Worker.create({
      ...shared,
      taskQueue: TaskQueue.lives,
      workflowBundle,
      workerDeploymentOptions: {
        version: { deploymentName: 'carnet', buildId: buildIdOf(workflowBundle) },
        useWorkerVersioning: false,
      },
      maxConcurrentLocalActivityExecutions: MAX_LOCAL_ACTIVITIES,
    }),
    Worker.create({
      ...shared,
      taskQueue: TaskQueue.outbound,
      maxConcurrentActivityTaskExecutions: MAX_OUTBOUND_ACTIVITIES,
      maxConcurrentActivityTaskPolls: OUTBOUND_POLLS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TaskQueue.receivers,
      maxConcurrentActivityTaskExecutions: MAX_RECEIVER_ACTIVITIES,
      maxConcurrentActivityTaskPolls: OUTBOUND_POLLS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TaskQueue.forwards,
      maxConcurrentActivityTaskExecutions: MAX_FORWARD_ACTIVITIES,
      maxConcurrentActivityTaskPolls: OUTBOUND_POLLS,
    }),
  ]);

/** Steps of skills that the service executes. */
const workerOfSkills = (shared: Shared): Promise<Worker> =>
  Worker.create({
    ...shared,
    taskQueue: TaskQueue.sealed,
    maxConcurrentActivityTaskExecutions: MAX_SEALED_ACTIVITIES,
    maxConcurrentActivityTaskPolls: OUTBOUND_POLLS,
  });
