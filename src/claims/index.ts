export { findIntentClaims } from './intent-claims.ts';
export { issueClaim } from './issue-claim.ts';
export { findClaimsAbout, markRevoked as revokeIssuedClaim } from './queries.ts';
