import { createHash } from 'node:crypto';

/**
 * The thumbprint of an Ed25519 public key: SHA-256 of the members that RFC 7638 requires, in the order of their names (RFC 8037).
 * @param x the key in base64url, as its JWK has it
 * @returns base64url, 43 characters
 */
export const thumbprintOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
