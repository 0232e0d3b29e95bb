import { metrics } from '../metrics/metrics.ts';
import { hashOfLeaf } from './log/merkle.ts';
import type { LoggedClaim } from './log/receipts.ts';
import type { ClaimRow } from './queries.ts';
import { digestOfSigned, signedBytesOf } from './signed-bytes.ts';

const found = metrics.counter('carnet_claims_altered', 'Claims that were read and are not what was recorded');

export const ALTERED =
  'This claim was changed in the database: what is there does not have its digest, so it is not shown. ' +
  'The platform restores it from a copy.';

/**
 * Whether the row of a claim states something else than what was recorded. Of an erased claim nothing ties what is left to its digest
 * (decision L5), and a payload that is there was put in.
 */
export function isAltered(row: ClaimRow, logged?: LoggedClaim): boolean {
  const { envelope, digest, issuer, erased_at: erasedAt } = row;
  const isWhole = erasedAt === null ? digestOfSigned(signedBytesOf(envelope)) === digest : !('payload' in envelope);
  const isAsRecorded = isWhole && envelope.issuer === issuer && !isAnother(row, logged);
  if (!isAsRecorded) found.add(1);
  return !isAsRecorded;
}

/**
 * Whether the log has another claim at the place of this one, whose digest was changed together with its envelope. Of an erased claim nobody has
 * the bytes of its leaf any more.
 */
export function isAnother({ envelope, erased_at: erasedAt }: ClaimRow, logged: LoggedClaim | undefined): boolean {
  if (logged?.leads !== true || erasedAt !== null) return false;
  return !hashOfLeaf(signedBytesOf(envelope)).equals(logged.inclusion.leafHash);
}
