export { apiKeyOf } from './api-key-of.ts';
export { encryptCredentialsAgain } from './encryption.ts';
