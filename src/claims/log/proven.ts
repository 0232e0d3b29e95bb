import type { CommonQueryMethods } from '../../database/pool.ts';
import { PLATFORM_OPERATOR_ID } from '../../ids/ids.ts';
import { isJsonObject } from '../../json/value.ts';
import type { ClaimRow } from '../queries.ts';
import { isAltered } from '../altered.ts';
import { signedBytesOf } from '../signed-bytes.ts';
import { InclusionFault, rootOf } from './inclusion.ts';
import { signedTree, type Log } from './log-key.ts';
import { hashOfLeaf } from './merkle.ts';
import { findLargestRegistered, findLog, type CheckpointRow } from './queries.ts';
import { registeredFrom } from './registration.ts';
import { statesWhatWasSigned, type LoggedClaim } from './receipts.ts';
import { NoteFault } from './signed-note.ts';
import { alteredAt } from './stopped.ts';

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
 * That what is given out as evidence of a claim is evidence: its envelope has its digest, its issuer and its leaf, and the leaf is in the tree that
 * the log has signed. Rows that were changed by hand make a proof of something else, and the log would sign a COSE receipt of it.
 * @throws Error which is no answer to a caller: a person must look
 */
export function assertEvident(log: Log, claim: ClaimRow, logged: LoggedClaim): void {
  const { leafHash } = logged.inclusion;
  if (!isProven(log, logged, leafHash)) {
    throw new Error(
      `Rows of the claims log were changed: the proof of ${claim.id} does not lead to the root that was signed.`,
    );
  }
  const { batch } = logged;
  if (batch.registration !== null && !statesWhatWasSigned(log, batch, logged.inclusion.rootHash))
    throw new Error(alteredAt(logged.logIndex));
  const isInLog = claim.erased_at !== null || hashOfLeaf(signedBytesOf(claim.envelope)).equals(leafHash);
  if (isInLog && !isAltered(claim)) return;
  throw new Error(
    `Rows of claims were changed: the envelope of ${claim.id} is not the one that stands in the log, or is another one than its row says.`,
  );
}

/**
 * That an erased claim has the digest that its tombstone says: nothing else in the log does, since what had it is gone. The tombstone is a claim of
 * the service, whose own evidence was looked at before.
 * @throws Error which is no answer to a caller: a person must look
 */
export function assertTombstone(claim: ClaimRow, tombstone: ClaimRow | null): void {
  const payload = tombstone?.envelope.payload;
  const isOfIt =
    tombstone?.issuer === PLATFORM_OPERATOR_ID &&
    tombstone.claim_type === 'authority_erasure_tombstone' &&
    isJsonObject(payload) &&
    payload.claim_id === claim.id &&
    payload.digest === claim.digest;
  if (isOfIt) return;
  throw new Error(`Rows of claims were changed: the tombstone of ${claim.id} is of another claim or another digest.`);
}

/**
 * Whether a batch has lost its registration, as far as the database shows it: it has none, and is neither from before there were any nor above
 * all that have one, as those that a release before this one appended a moment ago. The file beside the head shows more (decision L76).
 */
export async function hasLostRegistration(
  connection: CommonQueryMethods,
  log: Log,
  { registration, tree_size: size }: CheckpointRow,
): Promise<boolean> {
  if (registration !== null) return false;
  const largest = await findLargestRegistered(connection);
  const note = (await findLog(connection))?.registered_from ?? null;
  if (largest === null) return note !== null;
  if (size > largest) return false;
  return note === null || size >= fromIn(log, note);
}

/** @returns 0 where the log did not sign it: then every batch must have a registration */
function fromIn(log: Log, note: string): number {
  try {
    return registeredFrom(log, note);
  } catch (error) {
    if (error instanceof NoteFault) return 0;
    throw error;
  }
}
