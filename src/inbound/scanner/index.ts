export { ScanFailed, ScanLater, ScanTooSlow } from './errors.ts';
export { createScanner, standardLimits, type ScanLimits, type Scanner } from './pool.ts';
export type { DetectorKey, Finding, Severity, Verdict } from './verdict.ts';
