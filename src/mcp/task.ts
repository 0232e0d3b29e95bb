import { z } from 'zod';
import type { Invocation, InvocationStatus } from '../invocations/schema.ts';

/** The extension by which a call is answered before its work is done. A task is an invocation, and has its id. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const Envelope = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({ extensions: z.object({ [TASKS]: z.object({}) }) }),
});

/** Whether the client of a request takes tasks: it says so with each. */
export const takesTasks = (envelope: unknown): boolean => Envelope.safeParse(envelope).success;

/** An invocation is answered by a person or by a machine: seconds, seldom less. */
const POLL_MS = 2_000;

type TaskStatus = 'working' | 'completed' | 'cancelled';

/**
 * The status of a task by that of its invocation. Work that failed is a task that is completed, with an error as its result: `failed` is for errors
 * of the protocol alone, and `input_required` for questions to the client, which no invocation asks.
 */
export const taskStatuses: Readonly<Record<InvocationStatus, TaskStatus>> = {
  pending: 'working',
  processing: 'working',
  completed: 'completed',
  failed: 'completed',
  expired: 'completed',
};

/** The code of an invocation that its consumer has withdrawn. */
const CANCELLED = 'CANCELLED_BY_CONSUMER';

const statusOf = ({ status, error }: Invocation): TaskStatus =>
  error?.code === CANCELLED ? 'cancelled' : taskStatuses[status];

export const taskOf = (invocation: Invocation) => ({
  taskId: invocation.id,
  status: statusOf(invocation),
  statusMessage: `Status of the invocation: ${invocation.status}.`,
  createdAt: invocation.created_at,
  lastUpdatedAt: invocation.completed_at ?? invocation.claimed_at ?? invocation.created_at,
  ttlMs: null,
  pollIntervalMs: POLL_MS,
});
