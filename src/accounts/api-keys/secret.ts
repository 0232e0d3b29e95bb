import { hash, randomBytes } from 'node:crypto';
import type { NewApiKey } from './queries.ts';

/** A new secret: `svc_live_` and 32 random bytes. */
export const newSecret = (): string => `svc_live_${randomBytes(32).toString('base64url')}`;

/** The columns of a key that come from its secret. The secret is 256 random bits, so one round of SHA-256 is enough. */
export const secretColumns = (secret: string): Pick<NewApiKey, 'secretHash' | 'last4'> => ({
  secretHash: hash('sha256', secret, 'buffer'),
  last4: secret.slice(-4),
});
