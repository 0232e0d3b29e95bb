export { sealEndpointSecretsAnew } from './endpoints/seal-anew.ts';
