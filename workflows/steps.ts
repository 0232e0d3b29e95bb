import { proxyActivities, proxyLocalActivities, type LocalActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { OUTBOUND } from './queues.ts';

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

/** Every step, run as one in the database: a life takes those of its own from here. */
export const database = proxyLocalActivities<Activities>(databaseStep);

type Duration = number | `${number}${'s' | 'm'}`;

interface OutboundOptions {
  /** After this long the step fails, and the row decides what that means. Absent: it is tried until it succeeds. */
  scheduleToCloseTimeout?: Duration;
  /** The longest wait between two tries. */
  maximumInterval?: Duration;
}

/** Steps that reach out. One try ends by itself long before its minute: a payment provider has 15 s to answer, a mail server 20 s. */
export const outbound = ({ maximumInterval = '1m', ...options }: OutboundOptions = {}) =>
  proxyActivities<Activities>({
    taskQueue: OUTBOUND,
    startToCloseTimeout: '1m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    ...options,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval },
  });
