export { assertPatterns, ConstraintSchema, ConstraintsSchema, type Constraint } from './constraints.ts';
export { ensureGrant, ensureServiceConnection } from './demo.ts';
export { assuranceRank } from './identity-claims/assurance.ts';
export { passportFacts, type PassportFacts } from './passport-facts.ts';
