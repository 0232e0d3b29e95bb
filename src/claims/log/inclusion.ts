import { decodeCbor, encodeCbor } from '../../cose/cbor.ts';
import { hashOfPair } from './merkle.ts';

/** Where a leaf is in the tree of a log, and the hashes from its sibling up that lead to the root (RFC 9162 §2.1.3). */
export interface Inclusion {
  treeSize: number;
  logIndex: number;
  /** 32 bytes each. */
  hashes: readonly Uint8Array[];
}

/** A tree of 2^53 leaves, the largest that a number counts, is 53 levels high. */
const MAX_HASHES = 53;
/** 53 hashes of 34 bytes with their heads, two numbers of 9, and the heads of two arrays have 1,824. More is refused before it is decoded. */
const MAX_PROOF_BYTES = 2 * 1024;

/** Why a proof is not one; `message` is a sentence. */
export class InclusionFault extends Error {
  override readonly name = 'InclusionFault';
}

/** The proof of svc-merkle-v1, and of COSE receipts with RFC9162_SHA256 (RFC 9942 §5.2): `[tree_size, leaf_index, [hashes]]`. */
export const encodeInclusion = ({ treeSize, logIndex, hashes }: Inclusion): Buffer =>
  encodeCbor([treeSize, logIndex, hashes]);

/** @throws InclusionFault for more than 2 KiB, and for anything that is not deterministic CBOR of a size, an index below it, and hashes of 32 bytes. */
export function decodeInclusion(bytes: Uint8Array): Inclusion {
  if (bytes.length > MAX_PROOF_BYTES) {
    throw new InclusionFault(`An inclusion proof has at most ${MAX_PROOF_BYTES / 1024} KiB.`);
  }
  const parts = decoded(bytes);
  const [treeSize, logIndex, hashes] = Array.isArray(parts) && parts.length === 3 ? (parts as unknown[]) : [];
  const isPlace =
    Number.isSafeInteger(treeSize) &&
    Number.isSafeInteger(logIndex) &&
    Number(logIndex) >= 0 &&
    Number(logIndex) < Number(treeSize);
  if (!isPlace || !Array.isArray(hashes) || hashes.length > MAX_HASHES || !hashes.every(isHash)) {
    throw new InclusionFault('An inclusion proof is CBOR of [tree_size, leaf_index, [hashes of 32 bytes]].');
  }
  return { treeSize: Number(treeSize), logIndex: Number(logIndex), hashes };
}

const isHash = (value: unknown): value is Uint8Array => value instanceof Uint8Array && value.length === 32;

function decoded(bytes: Uint8Array): unknown {
  try {
    return decodeCbor(bytes);
  } catch (cause) {
    throw new InclusionFault('An inclusion proof is deterministic CBOR (RFC 8949 §4.2.1).', { cause });
  }
}

/**
 * The root of the tree that a proof leads to (RFC 9162 §2.1.3.2).
 * @throws InclusionFault where the proof has more or fewer hashes than a leaf at this place needs
 */
export function rootOf(leafHash: Uint8Array, { treeSize, logIndex, hashes }: Inclusion): Buffer {
  let [at, last] = [logIndex, treeSize - 1];
  let root: Uint8Array = leafHash;
  for (const sibling of hashes) {
    if (last === 0) throw new InclusionFault('The inclusion proof has more hashes than the tree is high.');
    if (at % 2 === 1 || at === last) {
      root = hashOfPair(sibling, root);
      // A last node without a sibling goes up as it is.
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      root = hashOfPair(root, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  if (last !== 0) throw new InclusionFault('The inclusion proof has fewer hashes than the tree is high.');
  return Buffer.from(root);
}
