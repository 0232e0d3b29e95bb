export { searchWords } from './browse.ts';
export { bestCandidates, findProducers, findSkillRows, type Candidate, type Part, type Wanted } from './candidates.ts';
export { checkSchemas } from './check-schemas.ts';
export { findInputContract, findOutputContract, type Contract } from './contracts.ts';
export { presentTo } from './presenter.ts';
export { tags } from './fields.ts';
export { ListedSkillSchema } from './schema.ts';
export { fieldsOf, nameOfField } from './schema-fields.ts';
export { findVisibleSkill } from './show-skill.ts';
