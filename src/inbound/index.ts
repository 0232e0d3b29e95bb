export { endpointSecrets } from './endpoints/secrets.ts';
export type { ClassifierContext } from './classification/index.ts';
export { advanceInbound, classifyInbound, describeInbound, type ScannerContext } from './events/life.ts';
export { purgeInboundContents } from './events/purge.ts';
export type { ReadContent } from './events/schema.ts';
export { forwardInbound } from './forwards/forward.ts';
export { createScanner, type Scanner } from './scanner/index.ts';
