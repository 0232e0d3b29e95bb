import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';

const Reconciled = z.object({ woken: z.number(), expired: z.array(z.string()), released: z.number() });

interface Reconciliation {
  /** Open rows that no life seemed to hold, now messaged. */
  woken: number;
  /** Rows more than 30 s past their deadline, which are expired without their lives (decision K48). */
  expired: number;
  /** Holds that no open invocation needs. */
  released: number;
}

/** Repairs what a lost message or a lost run left behind, with or without Temporal; 100 rows of each kind a call. */
export async function reconcileInvocations(context: Context): Promise<Reconciliation> {
  const { woken, expired, released } = await context.pool.one(
    sql.type(Reconciled)`select * from reconcile_invocations()`,
  );
  if (expired.length > 0) context.rowEvents.changed(...expired);
  if (woken + expired.length > 0) context.delivery.messagesCommitted();
  return { woken, expired: expired.length, released };
}
