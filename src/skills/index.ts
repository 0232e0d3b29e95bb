export { searchWords } from './browsing/terms.ts';
export {
  bestCandidates,
  findProducers,
  findSkillRows,
  type CandidateSkill,
  type ComposableSkill,
  type WantedSkill,
} from './matching/candidates.ts';
export { fitOf, reasonsFor, scoreOf } from './matching/score.ts';
export { checkSchemas } from './publishing/check-schemas.ts';
export { findInputContract, findOutputContract, type Contract, type InputContract } from './contracts.ts';
export { costOfScript, MAX_MODEL_INPUT_BYTES, maxCostOfModelStep } from './execution/cost.ts';
export { boundOfSkill, modelCallsOfSkill, stepsOfSkill, type PlannedCall } from './execution/plans.ts';
export type { LlmStep, RunStep } from './execution/run-plan.ts';
export { presentSkillTo } from './presenter.ts';
export { findSkillNames } from './queries.ts';
export { tags } from './tags-and-semver.ts';
export { ListedSkillSchema } from './schema.ts';
export { findVisibleSkill } from './show-skill.ts';
export { comparableProperties, propertyName } from './matching/comparable-properties.ts';
