export { agentConduct } from './accountability/agent-conduct.ts';
export { passportRevocation } from './revoking/revoke-all.ts';
export { passportAuthenticator } from './verifying/bearer.ts';
export { readReview } from './accountability/reviews.ts';
export { BlockAgentSchema, type AccountabilityReport, type Review } from './accountability/schema.ts';
export { advanceSession } from './accountability/advance-session.ts';
export { describeSessions } from './accountability/describe-sessions.ts';
export { lookAtSessions } from './accountability/look.ts';
export { rotateSigningKeysWhenDue } from './keys/rotate.ts';
