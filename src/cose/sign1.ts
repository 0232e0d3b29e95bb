import { sign, verify, type KeyObject } from 'node:crypto';
import { CborTag, decodeCbor, encodeCbor, type CborMap, type CborValue } from './cbor.ts';

/** Labels of header parameters (RFC 9052 §3.1). */
export const HEADER = { alg: 1, crit: 2, kid: 4 } as const;

/** Algorithms: EdDSA (RFC 9053) is what we write; Ed25519 (RFC 9864), the same signature named fully, is read too. */
const EDDSA = -8;
const ED25519 = -19;

const SIGN1_TAG = 18;
/** The tag as it stands before a message. */
const TAG_BYTE = 0xc0 | SIGN1_TAG;
/** A signature by Ed25519 with its headers has about 200 bytes, a receipt with 64 hashes 2,300. */
export const MAX_SIGN1_BYTES = 8 * 1024;
const NOTHING = new Uint8Array();

/** Why a message is not taken as a COSE_Sign1, or why its signature does not count; `message` is the end of a sentence about it. */
export class CoseFault extends Error {
  override readonly name = 'CoseFault';
}

/** A COSE_Sign1 as it stands; nothing in it is verified. */
export interface Sign1 {
  /** The bytes that the signature covers, as it was sent. */
  protectedBytes: Uint8Array;
  protectedHeader: ReadonlyMap<unknown, unknown>;
  unprotectedHeader: ReadonlyMap<unknown, unknown>;
  /** Null: detached. */
  payload: Uint8Array | null;
  signature: Uint8Array;
  /** Read from the protected header alone; null where that has none. */
  alg: unknown;
  /** Read from the protected or the unprotected header; null where neither has one. */
  kid: Uint8Array | null;
}

interface Signing {
  kid: Uint8Array;
  /** Not part of the message: the verifier has it already. */
  payload: Uint8Array;
  /** Ed25519 */
  privateKey: KeyObject;
  /** Protected header parameters besides alg and kid. */
  protectedExtra?: CborMap;
  unprotected?: CborMap;
}

/** A COSE_Sign1 (tag 18) with EdDSA over a detached payload. */
export function signSign1({ kid, payload, privateKey, protectedExtra, unprotected }: Signing): Buffer {
  const header: CborMap = new Map<number, CborValue>([
    [HEADER.alg, EDDSA],
    [HEADER.kid, kid],
    ...(protectedExtra ?? []),
  ]);
  const protectedBytes = encodeCbor(header);
  const signature = sign(null, toBeSigned(protectedBytes, payload), privateKey);
  return encodeCbor(
    new CborTag(SIGN1_TAG, [protectedBytes, unprotected ?? new Map<number, CborValue>(), null, signature]),
  );
}

/**
 * Reads a COSE_Sign1, with its tag or without.
 * @throws CoseFault for what is longer than 8 KiB, is not CBOR as `decodeCbor` reads it, is no COSE_Sign1, or has a header parameter twice.
 */
export function decodeSign1(bytes: Uint8Array): Sign1 {
  if (bytes.length > MAX_SIGN1_BYTES) throw new CoseFault(`has more than ${MAX_SIGN1_BYTES / 1024} KiB`);
  const parts = decoded(bytes[0] === TAG_BYTE ? bytes.subarray(1) : bytes, 'is not CBOR that is read here');
  if (!Array.isArray(parts) || parts.length !== 4)
    throw new CoseFault('is not a COSE_Sign1 (an array of four, tag 18)');
  const [protectedBytes, unprotectedHeader, payload, signature] = parts as unknown[];
  if (!(protectedBytes instanceof Uint8Array)) throw new CoseFault('has a protected header that is no byte string');
  if (!(unprotectedHeader instanceof Map)) throw new CoseFault('has an unprotected header that is no map');
  if (payload !== null && !(payload instanceof Uint8Array)) throw new CoseFault('has a payload that is no byte string');
  if (!(signature instanceof Uint8Array)) throw new CoseFault('has a signature that is no byte string');
  const protectedHeader = protectedMap(protectedBytes);
  for (const label of protectedHeader.keys()) {
    if (unprotectedHeader.has(label))
      throw new CoseFault(`has header parameter ${String(label)} twice, in both of its headers`);
  }
  const naming = [protectedHeader, unprotectedHeader].find((header) => header.has(HEADER.kid));
  const kid: unknown = naming === undefined ? null : naming.get(HEADER.kid);
  if (naming !== undefined && !(kid instanceof Uint8Array)) throw new CoseFault('has a kid that is no byte string');
  return {
    protectedBytes,
    protectedHeader,
    unprotectedHeader,
    payload,
    signature,
    alg: protectedHeader.get(HEADER.alg) ?? null,
    kid: kid as Uint8Array | null,
  };
}

interface Expected {
  /** The detached payload. */
  payload: Uint8Array;
  publicKey: KeyObject;
  /** The value that a kid in the message must have; null: any value. One without a kid is verified by the key alone. */
  expectedKid: string | null;
}

/**
 * Verifies a detached COSE_Sign1 by an Ed25519 key. Only the algorithm of the protected header counts.
 * @throws CoseFault as `decodeSign1` does, for another algorithm, another kid, `crit`, an attached payload, a signature that does not verify.
 */
export function verifySign1(bytes: Uint8Array, { payload, publicKey, expectedKid }: Expected): Sign1 {
  const message = decodeSign1(bytes);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new CoseFault('is verified by Ed25519 keys alone');
  assertAcceptable(message, expectedKid);
  const signed = toBeSigned(message.protectedBytes, payload);
  if (!verify(null, signed, publicKey, message.signature)) throw new CoseFault('has a signature that does not verify');
  return message;
}

/**
 * The properties of a message no matter who signed it.
 * @throws CoseFault for an algorithm other than -8 and -19, `crit`, a kid that is another, an attached payload, another length of signature.
 */
export function assertAcceptable(message: Sign1, expectedKid: string | null): void {
  const { alg, kid, payload, signature, protectedHeader, unprotectedHeader } = message;
  if (alg !== EDDSA && alg !== ED25519) {
    throw new CoseFault('must have alg -8 (EdDSA) or -19 (Ed25519) in its protected header');
  }
  if (protectedHeader.has(HEADER.crit) || unprotectedHeader.has(HEADER.crit)) {
    throw new CoseFault('has crit, of which no parameter is known here; leave it out');
  }
  if (kid !== null && expectedKid !== null && !Buffer.from(kid).equals(Buffer.from(expectedKid)))
    throw new CoseFault(`has another kid than ${expectedKid}; write that one, or none`);
  if (payload !== null) throw new CoseFault('has its payload attached; it must be detached (nil)');
  if (signature.length !== 64) throw new CoseFault('has a signature that is not 64 bytes long');
}

/** The Sig_structure of RFC 9052 §4.4, with an empty external_aad. */
const toBeSigned = (protectedBytes: Uint8Array, payload: Uint8Array): Buffer =>
  encodeCbor(['Signature1', protectedBytes, NOTHING, payload]);

/** An empty header is written as an empty byte string. */
function protectedMap(bytes: Uint8Array): ReadonlyMap<unknown, unknown> {
  if (bytes.length === 0) return new Map();
  const header = decoded(bytes, 'has a protected header that is not CBOR that is read here');
  if (!(header instanceof Map)) throw new CoseFault('has a protected header that is no map');
  return header;
}

const HOW_TO_ENCODE =
  'write definite lengths, integers in their shortest form, each key once, an integer or a text, and no floats or simple values but false, true ' +
  'and null';

function decoded(bytes: Uint8Array, fault: string): unknown {
  try {
    return decodeCbor(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CoseFault(`${fault} (${why}): ${HOW_TO_ENCODE}`, { cause });
  }
}
