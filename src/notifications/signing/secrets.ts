import { randomBytes } from 'node:crypto';
import type { Encryption } from '../../context/encryption.ts';

/** A new secret of a webhook: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const secretSeal = (destinationId: string): string => `destination-secret:${destinationId}`;

export const sealSecret = ({ seal }: Encryption, destinationId: string, secret: string): string =>
  seal(secret, secretSeal(destinationId));

/** The columns of a webhook's row that sign. */
interface SigningSecrets {
  id: string;
  /** Sealed; null: it is no webhook. */
  secret: string | null;
  /** The one before it, sealed, for a day after the rotation; null: there is none, or its day is over. */
  old_secret: string | null;
}

/**
 * The secrets that a webhook is signed with, the current one first.
 * @throws Error where no key of ENCRYPTION_KEY opens them, or it is no webhook
 */
export function openSecrets(
  { open }: Encryption,
  { id, secret, old_secret: oldSecret }: SigningSecrets,
): readonly [string, ...string[]] {
  if (secret === null) throw new Error(`The destination ${id} is no webhook and has no secret.`);
  const context = secretSeal(id);
  return [open(secret, context), ...(oldSecret === null ? [] : [open(oldSecret, context)])];
}
