export { findIntentClaims } from './intent-claims.ts';
export { advanceLog, appendToLog, describeLogs, lookAfterLog, lookAtLogs } from './log/life.ts';
export { askWitnesses } from './log/witnesses/ask.ts';
export { publishLog } from './log/append.ts';
export { logMetrics, troubleOfLog } from './log/stopped.ts';
export { purgeClaimPayloads } from './purge.ts';
export { newestIssued } from './read-claims.ts';
export { issueClaim } from './issue-claim.ts';
export { findClaimsAbout, markRevoked as revokeIssuedClaim } from './queries.ts';
