import { comparableProperties, searchWords, type WantedSkill } from '../skills/index.ts';
import type { SkillRequest } from './schema.ts';

/** A request as skills are compared with it. Skills of its owner are left out, no matter who calls. */
export const wantedBy = (request: SkillRequest): WantedSkill => ({
  notOf: request.operator_id,
  maxPriceCents: request.max_price_cents,
  tags: request.tags,
  inputDeclared:
    request.desired_input_schema === null ? null : comparableProperties(request.desired_input_schema).declared,
  outputRequired:
    request.desired_output_schema === null ? null : comparableProperties(request.desired_output_schema).required,
  words: searchWords(request.description),
});
