export { purgeContents, type Place } from './purge.ts';
