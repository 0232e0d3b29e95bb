import { metrics } from '../metrics/metrics.ts';
import type { ClaimRow } from './queries.ts';
import { digestOfSigned, signedBytesOf } from './signed-bytes.ts';

const found = metrics.counter('carnet_claims_altered', 'Claims that were read and are not what was recorded');

export const ALTERED =
  'This claim was changed in the database: what is there does not have its digest, so it is not shown. ' +
  'Whoever runs the service restores it from a copy.';

/**
 * Whether the row of a claim states something else than what was recorded. Of an erased claim nothing ties what is left to its digest
 * (decision L62), and a payload that is there was put in.
 */
export function isAltered({ envelope, digest, issuer, erased_at: erasedAt }: ClaimRow): boolean {
  const isWhole = erasedAt === null ? digestOfSigned(signedBytesOf(envelope)) === digest : !('payload' in envelope);
  const isAsRecorded = isWhole && envelope.issuer === issuer;
  if (!isAsRecorded) found.add(1);
  return !isAsRecorded;
}
