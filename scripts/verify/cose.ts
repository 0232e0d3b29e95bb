import { verify, type KeyObject } from 'node:crypto';
import { decodeCbor, encodeCbor, type CborMap, type CborValue } from './cbor.ts';
import { must } from './fault.ts';

/** COSE_Sign1 (RFC 9052) as claims use it: Ed25519, no critical headers, no external data. */

/** Tag 18, as it stands before a message. */
const SIGN1_TAG = 0xd2;
const ALG = 1;
const CRIT = 2;
const KID = 4;
/** EdDSA, and the same algorithm under its own name (RFC 9864). */
const ED25519_ALGORITHMS: ReadonlySet<unknown> = new Set([-8, -19]);
const MAX_BYTES = 8 * 1024;

export interface Sign1 {
  protectedBytes: Buffer;
  protected: CborMap;
  unprotected: CborMap;
  payload: Buffer | null;
  signature: Buffer;
}

/** @throws Fault */
export function decodeSign1(bytes: Buffer): Sign1 {
  must(bytes.length <= MAX_BYTES, `it has more than ${MAX_BYTES} bytes`);
  const parts = decodeCbor(bytes[0] === SIGN1_TAG ? bytes.subarray(1) : bytes);
  must(Array.isArray(parts) && parts.length === 4, 'it is not a COSE_Sign1');
  const [protectedBytes, unprotected, payload, signature] = parts;
  must(
    Buffer.isBuffer(protectedBytes) && unprotected instanceof Map && Buffer.isBuffer(signature),
    'it is not a COSE_Sign1',
  );
  must(payload === null || Buffer.isBuffer(payload), 'its payload is neither bytes nor detached');
  const headers = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes);
  must(headers instanceof Map, 'its protected header is not a map');
  for (const label of headers.keys()) must(!unprotected.has(label), `it has the parameter ${label} in both headers`);
  return { protectedBytes, protected: headers, unprotected, payload: payload ?? null, signature };
}

/** The key id, protected or not; null where there is none. @throws Fault where it is no bytes */
export function kidOf(sign1: Sign1): string | null {
  const header = [sign1.protected, sign1.unprotected].find((one) => one.has(KID));
  if (header === undefined) return null;
  const kid = header.get(KID);
  must(Buffer.isBuffer(kid), 'its key id is not bytes');
  return kid.toString('utf8');
}

/**
 * Checks the signature over a detached payload. Only the algorithm in the protected header counts.
 * @throws Fault
 */
export function assertSign1(sign1: Sign1, payload: Buffer, key: KeyObject): void {
  must(!sign1.protected.has(CRIT) && !sign1.unprotected.has(CRIT), 'it has critical headers');
  must(ED25519_ALGORITHMS.has(sign1.protected.get(ALG)), 'its protected algorithm is not Ed25519 (-8 or -19)');
  must(!sign1.unprotected.has(ALG), 'it has an algorithm outside of the protected header');
  must(sign1.signature.length === 64, 'its signature is not 64 bytes long');
  must(sign1.payload === null, 'its payload is attached, and must be detached');
  const signed = encodeCbor(['Signature1', sign1.protectedBytes, Buffer.alloc(0), payload]);
  must(verify(null, signed, key, sign1.signature), 'the signature is not of this key over these bytes');
}

const CWT_CLAIMS = 15;
const ISS = 1;
const SUB = 2;

/** Who gave a receipt, and what it is about (RFC 9943, RFC 9597). @throws Fault where it has no such claims under its signature */
export function cwtClaimsOf(sign1: Sign1): { iss: string; sub: string } {
  const claims = sign1.protected.get(CWT_CLAIMS);
  must(claims instanceof Map, 'it has no CWT claims (15) in its protected header');
  const [iss, sub] = [claims.get(ISS), claims.get(SUB)];
  must(typeof iss === 'string' && typeof sub === 'string', 'its issuer (1) or its subject (2) is no text');
  return { iss, sub };
}

/** The content of an inclusion proof, in `bytes` of a receipt and in a COSE receipt alike (RFC 9942). */
export interface InclusionProof {
  size: number;
  index: number;
  hashes: Buffer[];
}

/** A tree of 2^53 entries is 53 levels high, and 53 hashes with their heads have 1,824 bytes. */
const MAX_PROOF_BYTES = 2 * 1024;

/** @throws Fault where the bytes are not CBOR of exactly `[tree_size, leaf_index, [hashes]]` */
export function decodeInclusionProof(bytes: Buffer): InclusionProof {
  must(bytes.length <= MAX_PROOF_BYTES, `the proof has more than ${MAX_PROOF_BYTES} bytes`);
  const proof = decodeCbor(bytes);
  must(Array.isArray(proof) && proof.length === 3, 'the proof is not [tree_size, leaf_index, [hashes]]');
  const [size, index, hashes] = proof;
  must(isCount(size) && isCount(index) && Array.isArray(hashes), 'the proof is not [tree_size, leaf_index, [hashes]]');
  return {
    size,
    index,
    hashes: hashes.map((hash) => {
      must(Buffer.isBuffer(hash) && hash.length === 32, 'the proof holds something that is no SHA-256 hash');
      return hash;
    }),
  };
}

const isCount = (value: CborValue | undefined): value is number => typeof value === 'number' && value >= 0;

const VDS = 395;
const RFC9162_SHA256 = 1;
const VDP = 396;
const INCLUSION = -1;

/** The one proof in a receipt of inclusion (RFC 9942 §5.2). @throws Fault where it is none, or has several */
export function proofIn(sign1: Sign1): InclusionProof {
  must(sign1.protected.get(VDS) === RFC9162_SHA256, 'its data structure (395) is not that of RFC 9162 with SHA-256');
  const proofs = sign1.unprotected.get(VDP);
  must(proofs instanceof Map, 'it holds no proofs (396)');
  const inclusion = proofs.get(INCLUSION);
  must(Array.isArray(inclusion) && inclusion.length === 1, 'it does not hold one inclusion proof');
  const [proof] = inclusion;
  must(Buffer.isBuffer(proof), 'its inclusion proof is not bytes');
  return decodeInclusionProof(proof);
}
