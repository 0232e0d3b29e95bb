import { z } from 'zod';
import { batchesOfRound } from '../commands/batches.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';

const Reconciled = z.object({
  looked: z.number(),
  woken: z.number(),
  expired: z.array(z.string()),
  failed: z.array(z.string()),
});
const Count = z.object({ count: z.number() });

interface Reconciliation {
  /** Open rows that no life seemed to hold, now messaged. */
  woken: number;
  /** Rows more than 30 s past their deadline, which are expired without their lives. */
  expired: number;
  /** Rows that could not be reconciled; they are tried again a minute later. */
  failed: number;
  /** Holds that no open invocation needs. */
  released: number;
}

/**
 * Repairs what a lost message, a lost run or another store of lives left behind, with or without Temporal. It reads what is due,
 * never what is merely open, and goes on until nothing is due any more or its time is over.
 */
export async function reconcileInvocations(context: Context): Promise<Reconciliation> {
  const { pool, log, rowEvents, delivery } = context;
  const count = (query: ReturnType<typeof sql.fragment>): Promise<number> =>
    pool.oneFirst(sql.type(Count)`select ${query} as count`);
  let [woken, expired, failed] = [0, 0, 0];
  for await (const batch of batchesOfRound(() =>
    pool.one(sql.type(Reconciled)`select * from reconcile_invocations()`),
  )) {
    woken += batch.woken;
    expired += batch.expired.length;
    failed += batch.failed.length;
    if (batch.expired.length > 0) rowEvents.changed(...batch.expired);
    if (batch.failed.length > 0)
      log.error({ failed: batch.failed }, 'invocations cannot be reconciled; tried again in a minute');
  }
  woken += await count(sql.fragment`wake_invocations_of_other_store()`);
  if (woken + expired > 0) delivery.messagesCommitted();
  return { woken, expired, failed, released: await count(sql.fragment`release_orphaned_holds()`) };
}
