import type { Encryption } from '../../context/encryption.ts';

const secretSeal = (endpointId: string): string => `inbound-secret:${endpointId}`;

export const sealEndpointSecret = ({ seal }: Encryption, endpointId: string, secret: string): string =>
  seal(secret, secretSeal(endpointId));

interface SealedSecrets {
  id: string;
  secret: string;
  /** Null: there is none, or its day is over. */
  old_secret: string | null;
}

/**
 * The secrets of an endpoint, the current one first (decision I2).
 * @throws Error where no key of ENCRYPTION_KEY opens them
 */
export function openEndpointSecrets(
  { open }: Encryption,
  { id, secret, old_secret: oldSecret }: SealedSecrets,
): readonly [string, ...string[]] {
  const context = secretSeal(id);
  return [open(secret, context), ...(oldSecret === null ? [] : [open(oldSecret, context)])];
}
