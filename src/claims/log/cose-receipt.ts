import type { KeyObject } from 'node:crypto';
import type { CborValue } from '../../cose/cbor.ts';
import { CoseFault, decodeSign1, signSign1, verifySign1 } from '../../cose/sign1.ts';
import { decodeInclusion, encodeInclusion, InclusionFault, rootOf, type Inclusion } from './inclusion.ts';

/** The header parameter of CWT claims (RFC 9597), and which of them a receipt has (RFC 9943): who gave it, and what it is about. */
const CWT_CLAIMS = 15;
const ISS = 1;
const SUB = 2;
/** Header parameters of a receipt (RFC 9942 §4): which data structure, and proofs about it. */
const VDS = 395;
const VDP = 396;
/** The Merkle tree of RFC 9162 with SHA-256, and inclusion proofs in it. */
const RFC9162_SHA256 = 1;
const INCLUSION_PROOFS = -1;

interface Receipt {
  /** The registry, as its other receipts name it. */
  issuer: string;
  /** Names what is registered. */
  subject: string;
  /** Names the key of the log. */
  kid: string;
  /** Ed25519 */
  privateKey: KeyObject;
  /** The root of the tree of `inclusion.treeSize` leaves. */
  rootHash: Uint8Array;
  inclusion: Inclusion;
}

/**
 * A COSE receipt (RFC 9942, with the claims that RFC 9943 requires of one): a COSE_Sign1 of the log whose payload is the root, detached, since
 * a verifier computes the root from the leaf and the proof. The same arguments give the same bytes.
 */
export const signCoseReceipt = ({ issuer, subject, kid, privateKey, rootHash, inclusion }: Receipt): Buffer =>
  signSign1({
    kid: Buffer.from(kid),
    payload: rootHash,
    privateKey,
    protectedExtra: new Map<number, CborValue>([
      [
        CWT_CLAIMS,
        new Map([
          [ISS, issuer],
          [SUB, subject],
        ]),
      ],
      [VDS, RFC9162_SHA256],
    ]),
    unprotected: new Map<number, CborValue>([[VDP, new Map([[INCLUSION_PROOFS, [encodeInclusion(inclusion)]]])]]),
  });

/**
 * Verifies that the log of this key has a leaf in its tree.
 * @param kid what the receipt must call the key, if it names one; null: any name
 * @throws CoseFault where it does not show that; its message is the end of a sentence about the receipt
 */
export function verifyCoseReceipt(
  bytes: Uint8Array,
  { leafHash, publicKey, kid }: { leafHash: Uint8Array; publicKey: KeyObject; kid: string | null },
): Inclusion & { rootHash: Buffer } {
  const { protectedHeader, unprotectedHeader } = decodeSign1(bytes);
  if (protectedHeader.get(VDS) !== RFC9162_SHA256) {
    throw new CoseFault('must have 395 (the data structure) = 1 (RFC9162_SHA256) in its protected header');
  }
  const proofs = unprotectedHeader.get(VDP);
  const inclusions: unknown =
    proofs instanceof Map ? (proofs as Map<unknown, unknown>).get(INCLUSION_PROOFS) : undefined;
  const [proof, more] = Array.isArray(inclusions) ? (inclusions as unknown[]) : [];
  if (!(proof instanceof Uint8Array) || more !== undefined)
    throw new CoseFault('must have exactly one inclusion proof');
  const { inclusion, rootHash } = rebuilt(leafHash, proof);
  verifySign1(bytes, { payload: rootHash, publicKey, expectedKid: kid });
  return { ...inclusion, rootHash };
}

function rebuilt(leafHash: Uint8Array, proof: Uint8Array): { inclusion: Inclusion; rootHash: Buffer } {
  try {
    const inclusion = decodeInclusion(proof);
    return { inclusion, rootHash: rootOf(leafHash, inclusion) };
  } catch (error) {
    if (error instanceof InclusionFault) throw new CoseFault(`has a faulty proof: ${error.message}`, { cause: error });
    throw error;
  }
}
