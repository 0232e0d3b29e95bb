import { z } from 'zod';
import { batchesOfRound } from '../../commands/batches.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

const Reconciled = z.object({
  looked: z.number(),
  woken: z.number(),
  raised: z.number(),
  failed: z.array(z.string()),
});
const Woken = z.object({ woken: z.number() });

interface SessionReconciliation {
  /** Sessions whose life had not read what was added to them, now messaged. */
  woken: number;
  /** Lineages more than 30 s past a deadline, flagged here and now. */
  raised: number;
  /** Sessions that could not be reconciled; they are tried again a minute later. */
  failed: number;
}

/**
 * Repairs what a lost message, a lost run or another store of lives left behind, with or without Temporal. It reads what is due,
 * and goes on until nothing is due any more or its time is over.
 */
export async function reconcileSessions(context: Context): Promise<SessionReconciliation> {
  const { pool, config, log, delivery } = context;
  let [woken, raised, failed] = [0, 0, 0];
  for await (const batch of batchesOfRound(() =>
    pool.one(sql.type(Reconciled)`select * from reconcile_sessions(${config.missedCheckoutGraceSeconds})`),
  )) {
    woken += batch.woken;
    raised += batch.raised;
    failed += batch.failed.length;
    if (batch.failed.length > 0)
      log.error({ failed: batch.failed }, 'sessions cannot be reconciled; tried again in a minute');
  }
  woken += await pool.oneFirst(sql.type(Woken)`select wake_sessions_of_other_store() as woken`);
  if (woken + raised > 0) delivery.messagesCommitted();
  return { woken, raised, failed };
}
