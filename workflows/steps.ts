import { proxyActivities, proxyLocalActivities, type LocalActivityOptions } from '@temporalio/workflow';
import { FORWARDS, OUTBOUND, RECEIVERS, SEALED } from './queues.ts';
import { STEPS, type StepsIn } from './step-table.ts';

/** The steps that `stepsWith` makes, each with what it does beside it in the timeline of the run. */
const withSummaries = <Steps extends object>(stepsWith: (summary: string) => Steps): Steps =>
  new Proxy({} as Steps, {
    get: (_steps, name) => stepsWith(STEPS[name as keyof typeof STEPS].does)[name as keyof Steps],
  });

/** A worker sends heartbeats while it works on an outbound step; after this long without one another worker takes the step. */
const HEARTBEAT_TIMEOUT = '10s';

/**
 * A step in the database, run inside the workflow task. It is tried for ever, so that a life outlives a restart of the database; waits
 * above 2 s become timers of the server and hold no worker.
 */
export const databaseStep: LocalActivityOptions = {
  startToCloseTimeout: '5s',
  localRetryThreshold: '2s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
};

/** A life takes its steps in the database from here. */
export const database = withSummaries((summary) =>
  proxyLocalActivities<StepsIn<'database'>>({ ...databaseStep, summary }),
);

/** The same for a step that scans what somebody sent, in a thread beside: it waits for its turn there, and may take seconds. */
export const scanning = withSummaries((summary) =>
  proxyLocalActivities<StepsIn<'scanning'>>({ ...databaseStep, startToCloseTimeout: '12s', summary }),
);

/** No step is tried for longer, so that a run can continue as new however long the receiver is away. */
const MAX_MS = 3_600_000;

interface OutboundOptions {
  /** Milliseconds, an hour at most and where it is absent: after this long the step fails, and the row decides what that means. */
  withinMs?: number;
  /** The longest wait between two tries. */
  maximumInterval?: `${number}m`;
}

/**
 * Steps that reach out. One call has 15 s at a payment provider and 20 s at a mail server; a try of several calls that is cut off at its
 * minute is made again under the same keys, and goes on where it ended.
 */
export const outbound = ({ withinMs = MAX_MS, maximumInterval = '1m' }: OutboundOptions = {}) =>
  withSummaries((summary) =>
    proxyActivities<StepsIn<'outbound'>>({
      taskQueue: OUTBOUND,
      scheduleToCloseTimeout: Math.min(withinMs, MAX_MS),
      startToCloseTimeout: '1m',
      heartbeatTimeout: HEARTBEAT_TIMEOUT,
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval },
      summary,
    }),
  );

const onceByCall = {
  scheduleToCloseTimeout: '5m',
  startToCloseTimeout: '40s',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 1 },
} as const;

/**
 * Sends what waits for a receiver. Never tried again: what was begun may have reached the receiver, and the row says what is left. It begins
 * calls for four seconds, and the last of them takes twenty. Where all places of the queue are taken for long, the life reads its row again.
 */
export const receivers = withSummaries((summary) =>
  proxyActivities<StepsIn<'receivers'>>({ ...onceByCall, taskQueue: RECEIVERS, summary }),
);

/** The same for what inbound events wait for. */
export const forwards = withSummaries((summary) =>
  proxyActivities<StepsIn<'forwards'>>({ ...onceByCall, taskQueue: FORWARDS, summary }),
);

/**
 * Executes steps of skills. What was interrupted is tried again, and the row says what that means: a script runs again, a model is asked no
 * second time. A step waits for its turn among the operators for as long as an execution may take, 15 minutes.
 */
export const sealed = withSummaries((summary) =>
  proxyActivities<StepsIn<'sealed'>>({
    taskQueue: SEALED,
    scheduleToCloseTimeout: '15m',
    startToCloseTimeout: '15m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    summary,
  }),
);
