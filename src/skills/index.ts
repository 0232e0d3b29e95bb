export { searchWords } from './browse.ts';
export {
  bestCandidates,
  findProducers,
  findSkillRows,
  type CandidateSkill,
  type ComposableSkill,
  type WantedSkill,
} from './candidates.ts';
export { checkSchemas } from './check-schemas.ts';
export { findInputContract, findOutputContract, type Contract } from './contracts.ts';
export { presentSkillTo } from './presenter.ts';
export { tags } from './tags-and-semver.ts';
export { ListedSkillSchema } from './schema.ts';
export { comparableProperties, propertyName } from './comparable-properties.ts';
