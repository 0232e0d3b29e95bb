import { hash, timingSafeEqual } from 'node:crypto';
import { PLATFORM_OPERATOR_ID, type ApiKeyId } from '../../ids/ids.ts';
import type { Authenticator, Credential } from './credential.ts';

/** How the audit trail and the rate limit name the platform key; it has no row. */
const PLATFORM_KEY_ID = 'key_platform' as ApiKeyId;

const platform: Credential = {
  caller: {
    kind: 'operator',
    operatorId: PLATFORM_OPERATOR_ID,
    role: 'admin',
    platform: true,
    by: { kind: 'key', keyId: PLATFORM_KEY_ID },
  },
  suspended: false,
  blocked: false,
  validForMs: Number.POSITIVE_INFINITY,
};

/** PLATFORM_ADMIN_KEY, any string of 24 characters or more; hashes are compared in constant time. */
export function platformKeyAuthenticator(platformAdminKey: string): Authenticator {
  const expected = hash('sha256', platformAdminKey, 'buffer');
  return {
    authenticate: (token) =>
      timingSafeEqual(hash('sha256', token, 'buffer'), expected) ? Promise.resolve(platform) : undefined,
  };
}
