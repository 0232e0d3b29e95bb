import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { translated } from '../database/errors.ts';
import { sql } from '../database/pool.ts';
import { faultPoint } from '../commands/fault-points.ts';
import { pendingOf } from './announce.ts';

const StepRow = z.object({
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'expired', 'gone']),
  open: z.boolean(),
  changed: z.boolean(),
  wait_ms: z.number().nullable(),
  attempt: z.number(),
  expires_at: z.string().nullable(),
  lease_until: z.string().nullable(),
  provider_operator_id: z.string().nullable(),
  steps_done: z.number().nullable(),
});

/** Where an invocation is, and what its life waits for. */
interface InvocationStep {
  /** `gone`: there is no such row. */
  status: z.infer<typeof StepRow>['status'];
  open: boolean;
  /** Milliseconds to the deadline or the end of the lease, whichever is nearer, by Postgres' clock; null: not open. */
  waitMs: number | null;
  attempt: number;
  expiresAt: string | null;
  leaseUntil: string | null;
  /** The execution by the service that is under way; null: there is none. */
  stepsDone: number | null;
}

/**
 * One step of the life of an invocation: deletes the messages that woke it, expires it past its deadline (the hold goes
 * back), gives up a lapsed lease, begins what the service executes when it is its turn, counts a completed one, once. All by the row, so it may run any number of times.
 */
export async function advanceInvocation(context: Context, id: string): Promise<InvocationStep> {
  faultPoint('advanceInvocation:before');
  const row = await translated(context.pool.one(sql.type(StepRow)`select * from advance_invocation(${id})`));
  faultPoint('advanceInvocation:committed');
  if (row.changed) context.rowEvents.changed(id);
  // Its operators may be notified of it.
  if (row.changed && row.status === 'expired') context.delivery.messagesCommitted();
  if (row.changed && row.status === 'pending' && row.provider_operator_id !== null) {
    context.rowEvents.changed(pendingOf(row.provider_operator_id));
  }
  return {
    status: row.status,
    open: row.open,
    waitMs: row.wait_ms,
    attempt: row.attempt,
    expiresAt: row.expires_at,
    leaseUntil: row.lease_until,
    stepsDone: row.steps_done,
  };
}
