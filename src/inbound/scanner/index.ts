export { ScanFailed, ScanLater, ScanTooSlow, UnreadableBody } from './errors.ts';
export { formBoundary, MAX_PARTS } from './reading/form.ts';
export { parseJsonBody } from './reading/json.ts';
export { readBody, type ReadBody } from './reading/read-body.ts';
export { createScanner, standardLimits, type ScanLimits, type Scanner } from './pool.ts';
export type { ScanInput } from './reading/body.ts';
export type { DetectorKey, Finding, Severity, Verdict } from './verdict.ts';
