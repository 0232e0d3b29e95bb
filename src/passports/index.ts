export { passportRevocation } from './revoking/revoke-all.ts';
export { passportAuthenticator } from './verifying/bearer.ts';
export { advanceSession } from './accountability/advance-session.ts';
export { describeSessions } from './accountability/describe-sessions.ts';
export { reconcileSessions } from './accountability/reconcile-sessions.ts';
export { rotateSigningKeysWhenDue } from './keys/rotate.ts';
