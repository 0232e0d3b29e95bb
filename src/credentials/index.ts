export { apiKeyOf } from './api-key-of.ts';
export { sealCredentialsAnew } from './sealing.ts';
