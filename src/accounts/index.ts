export { findAgent } from './agent-queries.ts';
export { assuranceRank } from './assurance.ts';
export { changeTier } from './change-tier.ts';
export { ensureAgent, ensureApiKey, ensureGrant, ensureOperator, ensureServiceConnection } from './demo.ts';
export {
  passportFacts,
  type AuthorityBindingFact,
  type GrantFact,
  type IdentityClaimFact,
  type PassportFacts,
} from './passport-facts.ts';
export { findOperator, lockOperator } from './operator-queries.ts';
export { countAdministrators, findMembership, membershipsOf, type Membership } from './member-queries.ts';
export { newSecret } from './secret.ts';
