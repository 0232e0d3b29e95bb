export { findAgent } from '../authority/agents/queries.ts';
export { assuranceRank } from '../authority/identity-claims/assurance.ts';
export { changeTier } from './operators/change-tier.ts';
export { ensureAgent, ensureApiKey, ensureGrant, ensureOperator, ensureServiceConnection } from '../authority/demo.ts';
export {
  passportFacts,
  type AuthorityBindingFact,
  type GrantFact,
  type IdentityClaimFact,
  type PassportFacts,
} from '../authority/passport-facts.ts';
export { findOperator, lockOperator } from './operators/queries.ts';
export { countAdministrators, findMembership, membershipsOf, type Membership } from './members/queries.ts';
export { newSecret } from './api-keys/secret.ts';
