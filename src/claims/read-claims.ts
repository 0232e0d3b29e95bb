import { isPlatform, type Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { PLATFORM_OPERATOR_ID } from '../ids/ids.ts';
import { presentClaim, presentClaims, presentDigest } from './present-claims.ts';
import { findClaim, findNewestIssued, listClaims, type ClaimPage, type ClaimRow } from './queries.ts';
import type { Claim, ClaimDigest } from './schema/claim.ts';

/**
 * A claim in full for its issuer, for the operators that it concerns and for the platform; the digest alone for
 * everybody else who knows the id (decision L108).
 * @throws CarnetError NOT_FOUND
 */
export async function readClaim(context: Context, caller: Caller, id: string): Promise<Claim | ClaimDigest> {
  const row = await findClaim(context.pool, id);
  assertThat(row, () => notFound('claim'));
  return mayReadInFull(caller, row) ? presentClaim(context.pool, row) : presentDigest(context.pool, row);
}

/** Claims that the caller reads in full, newest first, each with its place in the order of lists. */
export async function claimsBefore(
  context: Context,
  caller: Caller,
  page: Omit<ClaimPage, 'readerId'>,
): Promise<(Claim & { seq: number })[]> {
  const rows = await listClaims(context.pool, { ...page, readerId: isPlatform(caller) ? null : caller.operatorId });
  return presentClaims(context.pool, rows);
}

/**
 * The newest claims of this type that the service has issued about these subjects and the operator of the caller, one of each subject that has
 * any, in no order.
 */
export async function newestIssued(
  { pool }: Pick<Context, 'pool'>,
  { operatorId }: Caller,
  about: { subjects: readonly string[]; claimType: string },
): Promise<Claim[]> {
  return presentClaims(pool, await findNewestIssued(pool, operatorId, about));
}

/** Whether a caller is shown the whole claim (decision L108). */
export const mayReadInFull = (caller: Caller, row: ClaimRow): boolean => isPlatform(caller) || readsInFull(caller, row);

/** The service issues claims about everybody: those are read as theirs by who acts for the platform, and not by every member of it. */
const readsInFull = ({ operatorId }: Caller, { issuer, operator_ids: readers }: ClaimRow): boolean =>
  issuer === operatorId ? issuer !== PLATFORM_OPERATOR_ID : readers.includes(operatorId);
