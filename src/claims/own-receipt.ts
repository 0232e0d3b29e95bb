import { CarnetError } from '../errors/carnet-error.ts';
import type { Context } from '../context/context.ts';
import { CoseFault } from '../cose/sign1.ts';
import { InclusionFault } from './log/inclusion.ts';
import { openedLogOf } from './log/log-key.ts';
import { rootAt } from './log/proofs.ts';
import type { LoggedClaim, Receipt } from './log/receipts.ts';
import { shownBy } from './receipt-proof.ts';

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
  if (receipt.witnesses !== null) return { fault: 'A receipt of this log names no witnesses.' };
  if (receipt.proof === null) return { fault: 'A receipt of this log has a proof.' };
  try {
    const { publicKey, kid } = await openedLogOf(context);
    const shown = shownBy(receipt.proof, { leafHash: judged.leafHash, publicKey, kid });
    if (shown.logIndex !== logged.logIndex) return { fault: 'It is of another place in the log.' };
    const isOurs = (await rootAt(context.pool, shown.treeSize)).equals(shown.rootHash);
    return isOurs ? 'genuine' : { fault: 'Its proof does not lead from this claim to the root of the tree.' };
  } catch (error) {
    if (error instanceof CoseFault) return { fault: `It ${error.message}.` };
    if (error instanceof InclusionFault) return { fault: error.message };
    if (error instanceof CarnetError && error.code === 'VALIDATION_ERROR')
      return { fault: 'It is of a tree that this log has not published.' };
    throw error;
  }
}
