import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** Verifier keys of c2sp.org/signed-note (`name+id+base64`), in which settings, notes and policies name public keys. */

/** Signature types of c2sp.org/signed-note that are known here. */
export const SIGNATURE_TYPE = { ed25519: 0x01, ed25519Cosignature: 0x04, mlDsa44Cosignature: 0x06 } as const;
export type SignatureType = (typeof SIGNATURE_TYPE)[keyof typeof SIGNATURE_TYPE];
const PUBLIC_KEY_BYTES: Record<SignatureType, number> = { 0x01: 32, 0x04: 32, 0x06: 1_312 };

/** Why a text is not taken as a note, a checkpoint or a verifier key; `message` is a sentence. */
export class NoteFault extends Error {
  override readonly name = 'NoteFault';
}

export interface VerifierKey {
  /** As it was parsed. */
  vkey: string;
  name: string;
  keyId: string;
  type: SignatureType;
  publicKey: KeyObject;
  /** The public key as the vkey has it. */
  raw: Buffer;
}

/** The verifier key `name+id+base64`; by default of plain Ed25519 signatures, as a log makes them. */
export function vkeyOf(name: string, publicKey: KeyObject, type: SignatureType = SIGNATURE_TYPE.ed25519): string {
  assertKeyName(name);
  const raw = rawPublicKey(publicKey);
  if (raw.length !== PUBLIC_KEY_BYTES[type]) throw new TypeError('This key does not make signatures of this type.');
  return `${name}+${keyIdOf(name, type, raw).toString('hex')}+${Buffer.concat([Buffer.of(type), raw]).toString('base64')}`;
}

/** @throws NoteFault for what is no verifier key, or one of a signature type that is not known here. */
export function parseVkey(vkey: string): VerifierKey {
  // The base64 may have a plus of its own, the name may not.
  const [, name = '', keyId = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
  const bytes = strictBase64(encoded);
  if (bytes === null || bytes.length < 2) throw new NoteFault('A verifier key is <name>+<8 hex digits>+<base64>.');
  assertKeyName(name);
  const [type, raw] = [bytes[0] as SignatureType, bytes.subarray(1)];
  if (raw.length !== PUBLIC_KEY_BYTES[type]) {
    throw new NoteFault('A verifier key is of type 1 or 4 (Ed25519) or 6 (ML-DSA-44), followed by the public key.');
  }
  if (keyIdOf(name, type, raw).toString('hex') !== keyId) {
    throw new NoteFault(`The id of the verifier key of ${name} does not belong to its name and key.`);
  }
  return { vkey, name, keyId, type, publicKey: publicKeyFrom(type, raw), raw };
}

export const keyIdOf = (name: string, type: SignatureType, raw: Uint8Array): Buffer =>
  createHash('sha256').update(`${name}\n`).update(Buffer.of(type)).update(raw).digest().subarray(0, 4);

/** The key itself, without the frame of SPKI, at whose end it stands for both algorithms. */
export function rawPublicKey(publicKey: KeyObject): Buffer {
  const { x, pub } = publicKey.export({ format: 'jwk' }) as { x?: string; pub?: string };
  return Buffer.from(x ?? pub ?? '', 'base64url');
}

const publicKeyFrom = (type: SignatureType, raw: Buffer): KeyObject =>
  createPublicKey({
    key:
      type === SIGNATURE_TYPE.mlDsa44Cosignature
        ? { kty: 'AKP', alg: 'ML-DSA-44', pub: raw.toString('base64url') }
        : { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });

export function assertKeyName(name: string): void {
  if (name === '' || /[\s\p{White_Space}\p{Cc}+]/u.test(name)) {
    throw new NoteFault('The name of a key is not empty and has neither spaces, control characters nor a plus.');
  }
}

/** Null for what is not the one base64 of its bytes. */
export function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : null;
}

/** The bytes of base64url without padding in its one spelling; null for every other text. */
export function strictBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
