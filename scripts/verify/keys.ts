import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { decoded, sha256 } from './bytes.ts';
import { must } from './fault.ts';
import type { Members } from './json.ts';

/** Types of note signatures (C2SP signed-note, tlog-cosignature). */
export const ED25519 = 0x01;
const COSIGNATURE_ED25519 = 0x04;
const COSIGNATURE_ML_DSA_44 = 0x06;

/** DER of a SubjectPublicKeyInfo up to the raw key: RFC 8410 and RFC 9881. */
const SPKI = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  mlDsa44: Buffer.from('30820532300b06096086480165030403110382052100', 'hex'),
};
const rawKey = (kind: keyof typeof SPKI, raw: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI[kind], raw]), format: 'der', type: 'spki' });

/** A verifier key: who signs notes, and how. */
export interface VerifierKey {
  name: string;
  /** 4 bytes. */
  id: Buffer;
  type: number;
  /** The key without any wrapping. */
  raw: Buffer;
  key: KeyObject;
}

/**
 * `<name>+<8 hex digits>+<base64 of type and key>` (C2SP signed-note).
 * @throws Fault where it cannot be read, and where its id is not that of its key
 */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name = '', id = '', material = ''] =
    /^([^\s\p{White_Space}\p{Cc}+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text) ?? [];
  must(name !== '', 'it is not `<name>+<8 hex digits>+<base64>`');
  const bytes = decoded(material, 'base64', 'the key');
  const [type = 0, raw] = [bytes[0], bytes.subarray(1)];
  const computed = sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4);
  must(computed.toString('hex') === id, `its id is ${id}, and its name and key have ${computed.toString('hex')}`);
  const ed25519 = type === ED25519 || type === COSIGNATURE_ED25519;
  must(ed25519 || type === COSIGNATURE_ML_DSA_44, `its type is ${type}; Ed25519 (1, 4) and ML-DSA-44 (6) are known`);
  const length = ed25519 ? 32 : 1312;
  must(raw.length === length, `it has ${raw.length} bytes, a key of its type has ${length}`);
  return { name, id: computed, type, raw, key: rawKey(ed25519 ? 'ed25519' : 'mlDsa44', raw) };
}

/** The verifier key of an Ed25519 key of 32 bytes that signs checkpoints under a name. */
export function verifierKeyText(name: string, raw: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.of(ED25519), raw]);
  const id = sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4);
  return `${name}+${id.toString('hex')}+${bytes.toString('base64')}`;
}

/** Whether two verifier keys are of one public key, regardless of their names. */
export const sameKey = (one: VerifierKey, other: VerifierKey): boolean => one.raw.equals(other.raw);

/** A note's signature is held against this. */
export interface SignedText {
  text: string;
  origin: string;
  size: number;
  root: Uint8Array;
}

/** Whether `signature` (without the key id) is of this key over the checkpoint. @throws Fault where it is too short */
export function signs(vkey: VerifierKey, signature: Buffer, { text, origin, size, root }: SignedText): boolean {
  if (vkey.type === ED25519) return verify(null, Buffer.from(text), vkey.key, signature);
  must(signature.length > 8, `the cosignature of ${vkey.name} is too short`);
  const [time, rest] = [signature.readBigUInt64BE(), signature.subarray(8)];
  if (vkey.type === COSIGNATURE_ED25519)
    return verify(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), vkey.key, rest);
  return verify(
    null,
    cosignedMessage(vkey.name, { time: signature.subarray(0, 8), origin, size, root }),
    vkey.key,
    rest,
  );
}

/** `cosigned_message` of a whole tree (C2SP tlog-cosignature); `time` as it stands in the signature. */
function cosignedMessage(
  cosigner: string,
  { time, origin, size, root }: { time: Buffer; origin: string; size: number; root: Uint8Array },
): Buffer {
  const short = (text: string): Buffer => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);
  const [start, end] = [Buffer.alloc(8), Buffer.alloc(8)];
  end.writeBigUInt64BE(BigInt(size));
  return Buffer.concat([Buffer.from('subtree/v1\n\0'), short(cosigner), time, short(origin), start, end, root]);
}

/** The last second that a date of ECMAScript can show. */
const LAST_SECOND = 8_640_000_000_000n;

/** When a witness signed, in seconds since 1970; null for a plain signature, which has no time, and for a time that no date can show. */
export function timeOf({ type }: VerifierKey, signature: Buffer): number | null {
  if (type === ED25519 || signature.length < 8) return null;
  const time = signature.readBigUInt64BE();
  return time <= LAST_SECOND ? Number(time) : null;
}

/** The 32 bytes of an Ed25519 key as a JWK (RFC 8037). @throws Fault for any other key */
export function rawOfJwk(jwk: Members): Buffer {
  must(jwk.text('kty') === 'OKP' && jwk.text('crv') === 'Ed25519', 'the JWK is not an Ed25519 key');
  const raw = decoded(jwk.text('x'), 'base64url', 'x of the JWK');
  must(raw.length === 32, `x of the JWK has ${raw.length} bytes, an Ed25519 key has 32`);
  return raw;
}

export const ed25519Key = (raw: Buffer): KeyObject => rawKey('ed25519', raw);

/** RFC 7638: the id of a key that nobody but its holder can use. */
export const thumbprintOf = (raw: Buffer): string =>
  sha256(Buffer.from(`{"crv":"Ed25519","kty":"OKP","x":"${raw.toString('base64url')}"}`)).toString('base64url');
