import { CarnetError } from '../errors/carnet-error.ts';
import type { Context } from '../context/context.ts';
import { CoseFault } from '../cose/sign1.ts';
import { verifyCoseReceipt } from './log/cose-receipt.ts';
import { decodeInclusion, InclusionFault, rootOf, type Inclusion } from './log/inclusion.ts';
import { rootAt } from './log/index.ts';
import { openedLogOf } from './log/log-key.ts';
import type { LoggedClaim, Receipt } from './log/receipts.ts';

/** `unknown`: of a registry whose key is not known here. */
export type ReceiptVerdict = 'genuine' | 'unknown' | { fault: string };

interface JudgedReceipt {
  receipt: Receipt;
  /** What this log says of the claim. */
  logged: LoggedClaim;
  /** Of the leaf that the claim makes, 32 bytes. */
  leafHash: Buffer;
}

/**
 * Whether a receipt shows that a claim is in this log: what it states is what the log states, and its proof leads from the claim to the
 * root of one of our published trees.
 */
export async function judgeOwnReceipt(context: Context, judged: JudgedReceipt): Promise<ReceiptVerdict> {
  const { receipt, logged } = judged;
  if (receipt.registry !== logged.receipt.registry) return 'unknown';
  for (const member of ['registered_at', 'registry_entry_uri'] as const) {
    if (receipt[member] !== logged.receipt[member]) return { fault: `${member} is not what this log says.` };
  }
  if (receipt.proof === null) return { fault: 'A receipt of this log has a proof.' };
  try {
    const { proven, rootHash } = await readProof(context, receipt.proof, judged.leafHash);
    const { log_index: index, tree_size: size, root_hash: root } = receipt.proof;
    const isConsistent =
      (index ?? proven.leafIndex) === proven.leafIndex &&
      (size ?? proven.treeSize) === proven.treeSize &&
      (root ?? rootHash.toString('hex')) === rootHash.toString('hex');
    if (!isConsistent) return { fault: 'log_index, tree_size and root_hash are not those of its bytes.' };
    if (proven.leafIndex !== logged.logIndex) return { fault: 'It is of another place in the log.' };
    const isOurs = (await rootAt(context.pool, proven.treeSize)).equals(rootHash);
    return isOurs ? 'genuine' : { fault: 'Its proof does not lead from this claim to the root of the tree.' };
  } catch (error) {
    if (error instanceof CoseFault) return { fault: `It ${error.message}.` };
    if (error instanceof InclusionFault) return { fault: error.message };
    if (error instanceof CarnetError && error.code === 'VALIDATION_ERROR')
      return { fault: 'It is of a tree that this log has not published.' };
    throw error;
  }
}

/** @throws CoseFault, InclusionFault for bytes that are no proof of the format. */
async function readProof(
  context: Context,
  { format, bytes }: NonNullable<Receipt['proof']>,
  leafHash: Buffer,
): Promise<{ proven: Inclusion; rootHash: Buffer }> {
  const decoded = Buffer.from(bytes, 'base64url');
  if (decoded.toString('base64url') !== bytes) throw new InclusionFault('bytes is not base64url without padding.');
  if (format === 'svc-merkle-v1') {
    const proven = decodeInclusion(decoded);
    return { proven, rootHash: rootOf(leafHash, proven) };
  }
  if (format === 'rekor-v2-tle') throw new InclusionFault('This log gives no receipts of the format rekor-v2-tle.');
  const { publicKey, kid } = await openedLogOf(context);
  const { rootHash, ...proven } = verifyCoseReceipt(decoded, { leafHash, publicKey, kid });
  return { proven, rootHash };
}
