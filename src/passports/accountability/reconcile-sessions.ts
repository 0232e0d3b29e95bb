import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

const Reconciled = z.object({ woken: z.number(), raised: z.number() });

interface SessionReconciliation {
  /** Sessions whose life had not read what was added to them, now messaged. */
  woken: number;
  /** Lineages more than 30 s past a deadline, flagged here and now. */
  raised: number;
}

/**
 * Repairs what a lost message or a lost run left behind, with or without Temporal; at most 100 rows of each kind a
 * call.
 */
export async function reconcileSessions(context: Context): Promise<SessionReconciliation> {
  const reconciled = await context.pool.one(
    sql.type(Reconciled)`select * from reconcile_sessions(${context.config.missedCheckoutGraceSeconds})`,
  );
  if (reconciled.woken + reconciled.raised > 0) context.delivery.messagesCommitted();
  return reconciled;
}
