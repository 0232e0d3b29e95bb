import type { Encryption } from '../../context/encryption.ts';
import type { SealedSecrets } from '../../context/seal-anew.ts';

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
