export { ScanFailed, ScanLater, UnreadableBody } from './errors.ts';
export { readBody, type ReadBody } from './reading/read-body.ts';
export { createScanner, standardLimits, type ScanLimits, type Scanner } from './pool.ts';
export type { ScanInput } from './reading/body.ts';
export type { DetectorKey, Finding, Severity, Verdict } from './verdict.ts';
