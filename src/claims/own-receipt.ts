import type { Context } from '../context/context.ts';
import { CoseFault } from '../cose/sign1.ts';
import { InclusionFault } from './log/inclusion.ts';
import { openedLogOf, signedTree } from './log/log-key.ts';
import { findCheckpoint } from './log/queries.ts';
import { NoteFault } from './log/signed-note.ts';
import type { LoggedClaim, Receipt } from './log/receipts.ts';
import { shownBy } from './receipt-proof.ts';

/** `unknown`: of a registry whose key is not known here. */
export type ReceiptVerdict = 'genuine' | 'unknown' | { fault: string };

interface JudgedReceipt {
  receipt: Receipt;
  /** The statement of this log about the claim. */
  logged: LoggedClaim;
  /** The hash of the leaf that the claim makes, 32 bytes. */
  leafHash: Buffer;
}

/**
 * Whether a receipt shows that a claim is in this log: what it states is what the log states, and its proof leads from the claim to a root
 * that the log has signed and published. A root that is made of rows of the tree shows nothing: everybody who changes these changes it too.
 */
export async function judgeOwnReceipt(context: Context, judged: JudgedReceipt): Promise<ReceiptVerdict> {
  const { receipt, logged } = judged;
  if (receipt.registry !== logged.receipt.registry) return 'unknown';
  for (const member of ['registered_at', 'registry_entry_uri'] as const) {
    if (receipt[member] !== logged.receipt[member]) return { fault: `${member} is not what this log says.` };
  }
  if (receipt.witnesses !== null) return { fault: 'A receipt of this log names no witnesses.' };
  if (receipt.proof === null) return { fault: 'A receipt of this log has a proof.' };
  try {
    const log = await openedLogOf(context);
    const shown = shownBy(receipt.proof, { leafHash: judged.leafHash, publicKey: log.publicKey, kid: log.kid });
    if (shown.logIndex !== logged.logIndex) return { fault: 'It is of another place in the log.' };
    const checkpoint = await findCheckpoint(context.pool, shown.treeSize);
    if (checkpoint === null) return { fault: 'It is of a tree that this log has not published a checkpoint of.' };
    const signed = signedTree(log, checkpoint.note);
    const isOurs = signed.size === shown.treeSize && signed.rootHash.equals(shown.rootHash);
    return isOurs ? 'genuine' : { fault: 'Its proof does not lead from this claim to the root that was signed.' };
  } catch (error) {
    if (error instanceof CoseFault) return { fault: `It ${error.message}.` };
    if (error instanceof InclusionFault) return { fault: error.message };
    if (error instanceof NoteFault)
      return { fault: `The checkpoint of its tree is not signed by this log: ${error.message}` };
    throw error;
  }
}
