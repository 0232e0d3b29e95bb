import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { translated } from '../../database/errors.ts';
import { sql } from '../../database/pool.ts';
import { faultPoint } from '../../commands/fault-points.ts';

const StepRow = z.object({
  found: z.boolean(),
  raised: z.boolean(),
  open: z.boolean(),
  wait_ms: z.number().nullable(),
  waits_for: z.enum(['checkpoint', 'checkout']).nullable(),
  agent_id: z.string().nullable(),
  checkpoint: z.number().nullable(),
  due: z.string().nullable(),
  until: z.string().nullable(),
  reviews: z.array(z.string()),
});

/** Where a session is, and what its life waits for. */
interface SessionStep {
  /** False: there is no such row. */
  found: boolean;
  /** Something is awaited: a report, or a person's decision. */
  open: boolean;
  /** Milliseconds to the nearest deadline by Postgres' clock, at least 1,000; null where nothing is timed. */
  waitMs: number | null;
  /** The report that is missed at that deadline. */
  waitsFor: 'checkpoint' | 'checkout' | null;
  agentId: string | null;
  /** The number that the awaited checkpoint would have. */
  checkpoint: number | null;
  /** When it is expected. */
  due: string | null;
  /** When it counts as missed, which is the deadline: grace included. */
  until: string | null;
  /** Checkouts that a person has to review; the first three. */
  reviews: string[];
}

/**
 * One step of the life of a session: deletes the messages that woke it and raises what is past its deadline. All by the
 * rows, so it may run any number of times.
 */
export async function advanceSession(context: Context, id: string): Promise<SessionStep> {
  faultPoint('advanceSession:before');
  const row = await translated(
    context.pool.one(
      sql.type(StepRow)`select * from advance_session(${id}, ${context.config.missedCheckoutGraceSeconds})`,
    ),
  );
  faultPoint('advanceSession:committed');
  if (row.raised) context.delivery.messagesCommitted();
  return {
    found: row.found,
    open: row.open,
    waitMs: row.wait_ms,
    waitsFor: row.waits_for,
    agentId: row.agent_id,
    checkpoint: row.checkpoint,
    due: row.due,
    until: row.until,
    reviews: row.reviews,
  };
}
