import type { Encryption } from '../../context/encryption.ts';
import type { SealedSecrets } from '../../context/seal-anew.ts';

const PREFIX = 'whsec_';

/**
 * Returns the key that Standard Webhooks makes of a secret: the bytes behind `whsec_`.
 * @returns null for a secret without `whsec_`, which keys hex signatures and those of Mailgun alone (decision I8)
 */
export const standardKeyOf = (secret: string): Buffer | null =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : null;

/** Whether a secret without `whsec_`, or one with at least `bytes` bytes of padded base64 behind it. */
export function hasUsableKey(secret: string, bytes: number): boolean {
  const key = standardKeyOf(secret);
  // Node passes over what is no base64: only a text that comes back the same was all of it.
  return key === null || (key.length >= bytes && key.toString('base64') === secret.slice(PREFIX.length));
}

/** The context under which the secrets of an endpoint are encrypted. */
export const endpointSeal = (endpointId: string): string => `inbound-secret:${endpointId}`;

export const sealEndpointSecret = ({ seal }: Encryption, endpointId: string, secret: string): string =>
  seal(secret, endpointSeal(endpointId));

/**
 * The secrets that a request to an endpoint may be signed with, the current one first.
 * @throws Error where no key of ENCRYPTION_KEY opens them
 */
export function openEndpointSecrets(
  { open }: Encryption,
  { id, secret, old_secret: oldSecret }: SealedSecrets,
): readonly [string, ...string[]] {
  const seal = endpointSeal(id);
  return [open(secret, seal), ...(oldSecret === null ? [] : [open(oldSecret, seal)])];
}
