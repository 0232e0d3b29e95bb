export { passportRevocation } from './revoking/revoke-all.ts';
export { passportAuthenticator } from './verifying/bearer.ts';
