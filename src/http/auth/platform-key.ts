import { hash, timingSafeEqual } from 'node:crypto';
import { PLATFORM_KEY_ID, PLATFORM_OPERATOR_ID } from '../../ids/ids.ts';
import type { Authenticator, Credential } from './credential.ts';

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
