export { assertEndpoint } from './read.ts';
