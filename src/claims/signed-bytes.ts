import { hash } from 'node:crypto';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject } from '../json/value.ts';

/**
 * The bytes that are hashed, signed and logged of a claim: its canonical JSON (RFC 8785). Receipt and co-signatures are added to an envelope after it was
 * signed (decision L5).
 */
export function signedBytesOf({ receipt: _receipt, co_signatures: _coSignatures, ...signed }: JsonObject): Buffer {
  return Buffer.from(canonicalJson(signed));
}

/** The digest of a claim: of its signed bytes. */
export const digestOfSigned = (signedBytes: Buffer): string => `sha256:${hash('sha256', signedBytes)}`;
