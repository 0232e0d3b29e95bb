import { createPublicKey } from 'node:crypto';
import { assertAcceptable, CoseFault, decodeSign1, verifySign1 } from '../../cose/sign1.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import { strictBase64, strictBase64url } from '../../fields/verifier-key.ts';
import type { CoSignature } from '../schema/co-signature.ts';

// The profile of co-signatures (docs/claims.md), which the service and both verifiers read alike (decision L120).

/** Matches an RFC 7638 thumbprint with SHA-256, base64url. */
const THUMBPRINT = /^[\w-]{43}$/;

/** Whether a kid can name a key; what names none is verified by none. */
export const isThumbprint = (kid: string): boolean => THUMBPRINT.test(kid);

/** base64url without padding, or base64 with it; null for what is neither. */
export const bytesOf = (text: string): Buffer | null => strictBase64url(text) ?? strictBase64(text);

const NO_BASE64 = 'is not base64url without padding, nor base64 with it';

/**
 * That a co-signature can be verified, no matter who has the key.
 * @throws CoseFault which is the end of a sentence about it: what is wrong, and what to write
 */
export function assertReadable({ cose_sign1: text, signer_kid: kid }: CoSignature): void {
  const bytes = bytesOf(text);
  if (bytes === null) throw new CoseFault(NO_BASE64);
  assertAcceptable(decodeSign1(bytes), kid);
}

/** Null where a co-signature can be verified, else the end of a sentence that says why not. */
export function unreadableFor(coSignature: CoSignature): string | null {
  try {
    assertReadable(coSignature);
    return null;
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    return error.message;
  }
}

/**
 * That the key signed the payload.
 * @param x the public key, as its JWK has it
 * @throws CoseFault as `assertReadable` does, for a key that is not the one of the kid, and for a signature that does not verify
 */
export function assertSigned(
  { cose_sign1: text, signer_kid: kid }: CoSignature,
  { x, payload }: { x: string; payload: Uint8Array },
): void {
  const bytes = bytesOf(text);
  if (bytes === null) throw new CoseFault(NO_BASE64);
  if (thumbprintOf(x) !== kid) throw new CoseFault('is beside another key than it names');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  verifySign1(bytes, { payload, publicKey, expectedKid: kid });
}
