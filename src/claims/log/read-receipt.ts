import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findClaim, type ClaimRow } from '../queries.ts';
import { openedLogOf } from './log-key.ts';
import { assertEvident } from './proven.ts';
import { receiptOf, type LoggedClaim } from './receipts.ts';

/**
 * A claim with its receipt, which is for everybody who knows its id (decision L19); `logged` is null while it waits for its place in the log.
 * @throws CarnetError NOT_FOUND; Error where rows were changed by hand and prove something else
 */
export async function readLoggedClaim(
  context: Context,
  claimId: string,
): Promise<{ claim: ClaimRow; logged: LoggedClaim | null }> {
  const { pool } = context;
  const claim = await findClaim(pool, claimId);
  assertThat(claim, () => notFound('claim'));
  const logged = await receiptOf(pool, claimId);
  if (logged !== null) assertEvident(await openedLogOf(context), claim, logged);
  return { claim, logged };
}
