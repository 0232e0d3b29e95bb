export { apiKeyAuthenticator } from './api-keys/authenticator.ts';
export { findApiKey } from './api-keys/queries.ts';
export { newSecret } from './api-keys/secret.ts';
export { maySeeAgent, pageOfAgents } from './agents/agents.ts';
export { findAgent, findAgentNames, findKeyOfAgent, findKeyOfAgents, findOperatorOfAgent } from './agents/queries.ts';
export type { PublicJwk } from './agents/public-jwk.ts';
export { AgentSchema, ENFORCED_INTERVAL_SECONDS, type Agent } from './agents/schema.ts';
export { purgeAuditEvents } from './audit/purge.ts';
export { demoOperators, ensureAgent, ensureApiKey, ensureOperator, findDemoOwner } from './demo.ts';
export {
  countFreeOperators,
  countAdministrators,
  findMember,
  findMemberEmails,
  findMembership,
  joinMember,
  membershipsOf,
  type Membership,
} from './members/queries.ts';
export { actToOutlive } from './outlive.ts';
export { personBehind } from './person-behind.ts';
export { createOperator } from './register.ts';
export { RegisterOperatorSchema, type RegisterOperator } from './operators/schema.ts';
export { readOwnOperator } from './operators/operators.ts';
export { changeTier } from './operators/change-tier.ts';
export {
  findKeyOfOperators,
  findOperator,
  findOperatorNames,
  isRegisteredEmail,
  isSuspended,
  lockOperator,
  registerEmail,
} from './operators/queries.ts';
export { assertGrant } from './partner-grants/queries.ts';
export { ensurePlatformOwner } from './platform-owner.ts';
