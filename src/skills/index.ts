export { levelOf } from './check-trust.ts';
export { findInputContract, findOutputContract, type Contract } from './contracts.ts';
export type { CachedSkill } from './skill-cache.ts';
export { findVisibleSkill } from './show-skill.ts';
