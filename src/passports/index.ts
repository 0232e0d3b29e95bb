export { agentConduct } from './accountability/agent-conduct.ts';
export { passportRevocation } from './revoking/revoke-all.ts';
export { passportAuthenticator } from './verifying/bearer.ts';
export { decideReview } from './accountability/decide-review.ts';
export { readReport } from './accountability/report.ts';
export { listReviews, readReview } from './accountability/reviews.ts';
export {
  BlockAgentSchema,
  DecideReviewSchema,
  type AccountabilityReport,
  type Review,
} from './accountability/schema.ts';
export { advanceSession } from './accountability/advance-session.ts';
export { describeSessions } from './accountability/describe-sessions.ts';
export { lookAtSessions } from './accountability/look.ts';
export { rotateSigningKeysWhenDue } from './keys/rotate.ts';
export { listPassports } from './lists/queries.ts';
