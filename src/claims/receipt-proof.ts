import type { KeyObject } from 'node:crypto';
import { CoseFault } from '../cose/sign1.ts';
import { strictBase64url } from '../fields/verifier-key.ts';
import { verifyCoseReceipt } from './log/cose-receipt.ts';
import { decodeInclusion, InclusionFault, rootOf, type Inclusion } from './log/inclusion.ts';
import type { Receipt } from './log/receipts.ts';

interface Prover {
  /** The leaf hash of the claim, 32 bytes. */
  leafHash: Buffer;
  /** The key of the log that gave the receipt. */
  publicKey: KeyObject;
  /** The name that the receipt must give the key, if it names one; null: any name. */
  kid: string | null;
}

/**
 * The proof of a receipt shows this of a claim: its place, and the root that the proof leads to. A COSE receipt is signed, and nothing else is.
 * @throws InclusionFault for bytes of svc-merkle-v1 that are no such proof, and for rekor-v2-tle, which this service does not read
 * @throws CoseFault for other bytes that do not show it, and where `log_index`, `tree_size` or `root_hash` beside them say something else;
 *   its message is the end of a sentence about the receipt
 */
export function shownBy(proof: NonNullable<Receipt['proof']>, prover: Prover): Inclusion & { rootHash: Buffer } {
  const bytes = strictBase64url(proof.bytes);
  if (bytes === null) throw new CoseFault('has bytes that are not base64url without padding');
  const shown = shownByBytes(proof.format, bytes, prover);
  const agrees = (said: number | string | null, is: number | string): boolean => said === null || said === is;
  const { log_index: index, tree_size: size, root_hash: root } = proof;
  if (agrees(index, shown.logIndex) && agrees(size, shown.treeSize) && agrees(root, shown.rootHash.toString('hex'))) {
    return shown;
  }
  throw new CoseFault('shows another log_index, tree_size or root_hash than stand beside it');
}

function shownByBytes(
  format: NonNullable<Receipt['proof']>['format'],
  bytes: Buffer,
  { leafHash, publicKey, kid }: Prover,
): Inclusion & { rootHash: Buffer } {
  if (format === 'scitt-cose-receipt') return verifyCoseReceipt(bytes, { leafHash, publicKey, kid });
  if (format === 'rekor-v2-tle') throw new InclusionFault('A proof of the format rekor-v2-tle is not read here.');
  const inclusion = decodeInclusion(bytes);
  return { ...inclusion, rootHash: rootOf(leafHash, inclusion) };
}
