export { apiKeyAuthenticator } from './api-keys/authenticator.ts';
export { newSecret } from './api-keys/secret.ts';
export { findAgent, findKeyOfAgent, findOperatorOfAgent } from './agents/queries.ts';
export { AgentSchema, ENFORCED_INTERVAL_SECONDS } from './agents/schema.ts';
export { purgeAuditEvents } from './audit/purge.ts';
export { ensureAgent, ensureApiKey, ensureOperator } from './demo.ts';
export { countAdministrators, findMembership, membershipsOf, type Membership } from './members/queries.ts';
export { changeTier } from './operators/change-tier.ts';
export { findOperator, isSuspended, lockOperator } from './operators/queries.ts';
