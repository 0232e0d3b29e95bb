export { findIntentClaims } from './intent-claims.ts';
export { issueClaim } from './issue-claim.ts';
export { markRevoked as revokeIssuedClaim } from './queries.ts';
