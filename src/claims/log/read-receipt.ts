import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findClaim } from '../queries.ts';
import { receiptOf, type LoggedClaim } from './receipts.ts';

/**
 * The receipt of a claim, for everybody who knows its id (decision L19); null while it waits for its place in the log.
 * @throws CarnetError NOT_FOUND
 */
export async function readLoggedClaim({ pool }: Context, claimId: string): Promise<LoggedClaim | null> {
  const logged = await receiptOf(pool, claimId);
  if (logged === null) assertThat(await findClaim(pool, claimId), () => notFound('claim'));
  return logged;
}
