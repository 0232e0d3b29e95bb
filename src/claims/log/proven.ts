import type { ClaimRow } from '../queries.ts';
import { digestOfSigned, signedBytesOf } from '../signed-bytes.ts';
import { InclusionFault, rootOf } from './inclusion.ts';
import { signedTree, type Log } from './log-key.ts';
import { hashOfLeaf } from './merkle.ts';
import type { LoggedClaim } from './receipts.ts';
import { NoteFault } from './signed-note.ts';

/** Whether a leaf is in the tree of a claim's receipt, by the root that the log has signed of it. */
export function isProven(
  log: Log,
  { inclusion, checkpoint }: Pick<LoggedClaim, 'inclusion' | 'checkpoint'>,
  leafHash: Buffer,
): boolean {
  try {
    const { size, rootHash } = signedTree(log, checkpoint);
    return size === inclusion.treeSize && rootOf(leafHash, inclusion).equals(rootHash);
  } catch (error) {
    if (error instanceof NoteFault || error instanceof InclusionFault) return false;
    throw error;
  }
}

/**
 * That what is given out as evidence of a claim is evidence: its envelope has its digest and its leaf, and the leaf is in the tree that the log
 * has signed. Rows that were changed by hand make a proof of something else, and the log would sign a COSE receipt of it.
 * @throws Error which is no answer to a caller: a person must look
 */
export function assertEvident(log: Log, claim: ClaimRow, logged: LoggedClaim): void {
  const { leafHash } = logged.inclusion;
  if (!isProven(log, logged, leafHash)) {
    throw new Error(
      `Rows of the claims log were changed: the proof of ${claim.id} does not lead to the root that was signed.`,
    );
  }
  if (claim.erased_at !== null) return;
  const signed = signedBytesOf(claim.envelope);
  if (claim.digest === digestOfSigned(signed) && hashOfLeaf(signed).equals(leafHash)) return;
  throw new Error(`Rows of claims were changed: the envelope of ${claim.id} is not the one that stands in the log.`);
}
