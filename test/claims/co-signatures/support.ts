import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CborTag, encodeCbor, type CborValue } from '../../../src/cose/cbor.ts';

export type Members = Record<string, unknown>;

export const jwkOf = (key: KeyObject): { kty: 'OKP'; crv: 'Ed25519'; x: string } => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x };
};

/** RFC 7638, written out. */
export const kidOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(`{"crv":"Ed25519","kty":"OKP","x":"${jwkOf(key).x}"}`)
    .digest('base64url');

/** The bytes that co-signatures cover (decision L5), by other code than the service's. */
export const signedBytesOf = (envelope: Members): Buffer =>
  Buffer.from(
    canonicalize(
      Object.fromEntries(Object.entries(envelope).filter(([name]) => name !== 'receipt' && name !== 'co_signatures')),
    ) ?? '',
  );

/** A co-signature put together here; `change` makes one that is wrong. */
export function coSign(
  envelope: Members,
  key: KeyObject,
  {
    role = 'operator_attestation',
    alg = -8,
    kid = kidOf(key),
    crit = false,
    padding = 0,
    attached = false,
    payload = signedBytesOf(envelope),
  }: {
    role?: string;
    alg?: CborValue;
    /** The `kid` of the message; `signer_kid` is always that of the key. */
    kid?: string;
    crit?: boolean;
    /** Bytes in the unprotected header. */
    padding?: number;
    /** The message carries its payload. */
    attached?: boolean;
    payload?: Buffer;
  } = {},
): { signer_kid: string; signer_role: string; cose_sign1: string } {
  const header = new Map<number, CborValue>([
    [1, alg],
    [4, Buffer.from(kid)],
  ]);
  if (crit) header.set(2, [4]);
  const protectedBytes = encodeCbor(header);
  const signature = sign(null, encodeCbor(['Signature1', protectedBytes, Buffer.alloc(0), payload]), key);
  const unprotected = new Map<number, CborValue>(padding === 0 ? [] : [[99, Buffer.alloc(padding)]]);
  const message = encodeCbor(new CborTag(18, [protectedBytes, unprotected, attached ? payload : null, signature]));
  return { signer_kid: kidOf(key), signer_role: role, cose_sign1: message.toString('base64url') };
}

/** A message with headers as their bytes say, signed over the envelope; base64url. */
export function raw(
  envelope: Members,
  key: KeyObject,
  { protectedHex, unprotectedHex = 'a0' }: { protectedHex: string; unprotectedHex?: string },
): string {
  const protectedBytes = Buffer.from(protectedHex, 'hex');
  const signature = sign(
    null,
    encodeCbor(['Signature1', protectedBytes, Buffer.alloc(0), signedBytesOf(envelope)]),
    key,
  );
  const parts = [
    encodeCbor(protectedBytes),
    Buffer.from(unprotectedHex, 'hex'),
    encodeCbor(null),
    encodeCbor(signature),
  ];
  return Buffer.concat([Buffer.of(0xd2, 0x84), ...parts]).toString('base64url');
}
