import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import { mayReadInFull } from '../read-claims.ts';
import type { ClaimRow } from '../queries.ts';
import { coSignaturesOf } from '../co-signatures/queries.ts';
import type { KeptCoSignature } from '../schema/co-signature.ts';
import { coseReceiptOf } from './cose.ts';
import { logJwk } from './keys.ts';
import { openedLogOf } from './log-key.ts';
import { hex } from './merkle.ts';
import { consistencyOf, inclusionOf, type Inclusion } from './proofs.ts';
import { isProven } from './proven.ts';
import { readTime } from './queries.ts';
import { readLoggedClaim } from './read-receipt.ts';
import type { Bundle } from './schema.ts';
import { bestCheckpoint } from './witnesses/witnessed.ts';

/**
 * Everything that proves a claim, in one file that needs nobody of us to be checked.
 * @returns null while the claim waits for its place in the log
 * @throws CarnetError NOT_FOUND; NOT_OWNER for a caller that does not read the claim in full.
 */
export async function bundleOf(context: Context, caller: Caller, claimId: string): Promise<Bundle | null> {
  const { pool } = context;
  // Before the claim is read: what is said of it then was so at this moment.
  const asOf = await readTime(pool);
  const { claim, logged } = await readLoggedClaim(context, claimId);
  assertThat(
    mayReadInFull(caller, claim),
    () => new CarnetError('NOT_OWNER', 'A bundle has the whole claim; only those who read it in full are given one.'),
  );
  if (logged === null) return null;
  const log = await openedLogOf(context);
  const { treeSize } = logged.inclusion;
  const newest = await bestCheckpoint(context, treeSize);
  if (newest === null) throw new Error('A log with a receipt has no checkpoint.');
  const inclusion = await inclusionOf(pool, claimId, newest.tree_size);
  if (inclusion === null) throw new Error(`The claim ${claimId} has lost its place in the log.`);
  if (!isProven(log, { inclusion, checkpoint: newest.note }, logged.inclusion.leafHash))
    throw new Error(
      `Rows of the claims log were changed: the proof of ${claimId} in the tree of ${newest.tree_size} claims does not lead to the root that was signed.`,
    );
  return {
    bundle_version: 1,
    claim_id: claim.id,
    digest: claim.digest,
    ...statementOf(claim, logged.inclusion.leafHash),
    co_signatures: ((await coSignaturesOf(pool, [claim])).get(claim.id) ?? []).map(presentCoSignature),
    receipt: logged.receipt,
    cose_receipt: coseReceiptOf(log, claim, logged).toString('base64url'),
    checkpoint: logged.checkpoint,
    latest: {
      checkpoint: newest.note,
      consistency: (await consistencyOf(pool, treeSize, newest.tree_size)).hashes.map(hex),
      inclusion: inclusion.hashes.map(hex),
      witnesses: newest.witnesses,
      quorum: newest.quorum,
    },
    tlog_proof:
      newest.witnesses.length > 0 ? tlogProof(inclusion, newest.note) : tlogProof(logged.inclusion, logged.checkpoint),
    revocation: {
      revoked_at: claim.revoked_at,
      reason: claim.revoke_reason,
      as_of: asOf,
    },
    submitter: claim.submitter,
    log: { origin: log.origin, vkey: log.vkey, jwk: logJwk(log) },
  };
}

/** The envelope as it was submitted. Of an erased claim what is left of it, and the hash that stands in the log. */
const statementOf = (
  { envelope, erased_at: erasedAt }: ClaimRow,
  leafHash: Buffer,
): Pick<Bundle, 'envelope' | 'erased' | 'leaf_hash'> =>
  erasedAt === null ? { envelope } : { envelope, erased: true, leaf_hash: hex(leafHash) };

const presentCoSignature = ({
  public_jwk: jwk,
  created_at: _at,
  verified_at: _verifiedAt,
  warnings: _warnings,
  ...kept
}: KeptCoSignature): Bundle['co_signatures'][number] => ({
  ...kept,
  jwk,
});

/** A C2SP tlog-proof in the tree of a checkpoint: the one that witnesses have signed, since a policy accepts no other (decision L40). */
function tlogProof(inclusion: Inclusion, checkpoint: string): string {
  const path = inclusion.hashes.map((hash) => `${hash.toString('base64')}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${inclusion.logIndex}\n${path}\n${checkpoint}`;
}
