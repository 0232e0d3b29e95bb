export { findIntentClaims, type IntentClaim } from './intent-claims.ts';
export { issueClaim, type IssuedClaim } from './issue-claim.ts';
export { markRevoked as revokeIssuedClaim } from './queries.ts';
