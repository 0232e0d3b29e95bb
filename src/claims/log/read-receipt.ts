import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findClaim, type ClaimRow } from '../queries.ts';
import { openedLogOf } from './log-key.ts';
import { assertEvident, assertTombstone, hasLostRegistration } from './proven.ts';
import { findLog, noteDamaged } from './queries.ts';
import { receiptOf, type LoggedClaim } from './receipts.ts';
import { alteredAt, unregisteredAt } from './stopped.ts';

interface ReadClaim {
  claim: ClaimRow;
  /**
   * Null while the claim waits for its place in the log, or its batch for its registration; of an erased one while its tombstone does, which says
   * its digest.
   */
  logged: LoggedClaim | null;
}

/**
 * A claim with its receipt, which is for everybody who knows its id (decision L108).
 * @throws CarnetError NOT_FOUND; Error where rows were changed by hand and prove something else
 */
export async function readLoggedClaim(context: Context, claimId: string): Promise<ReadClaim> {
  const claim = await findClaim(context.pool, claimId);
  assertThat(claim, () => notFound('claim'));
  const logged = await evidenceOf(context, claim);
  if (logged === null || claim.tombstone_id === null) return { claim, logged };
  const tombstone = await findClaim(context.pool, claim.tombstone_id);
  const loggedTombstone = tombstone === null ? null : await evidenceOf(context, tombstone);
  assertTombstone(claim, tombstone);
  return { claim, logged: loggedTombstone === null ? null : logged };
}

/**
 * Nothing that the log has not signed: the rows of a batch without a registration may state anything. Under the lock it is held against the file
 * beside the head, and given one or not.
 * @throws Error
 */
async function evidenceOf(context: Context, claim: ClaimRow): Promise<LoggedClaim | null> {
  const logged = await receiptOf(context.pool, claim.id);
  if (logged === null) return null;
  const log = await openedLogOf(context);
  assertEvident(log, claim, logged);
  if (logged.batch.registration !== null) return logged;
  if (await hasLostRegistration(context.pool, log, logged.batch)) {
    await noteDamaged(context.pool, logged.logIndex, alteredAt(logged.logIndex));
    throw new Error(alteredAt(logged.logIndex));
  }
  const stopped = (await findLog(context.pool))?.stopped_reason ?? null;
  if (stopped !== null) throw new Error(unregisteredAt(logged.logIndex, stopped));
  return null;
}
