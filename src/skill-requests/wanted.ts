import { fieldsOf, searchWords, type Wanted } from '../skills/index.ts';
import type { SkillRequest } from './schema.ts';

/** A request as skills are compared with it; "not own" goes by its owner, whoever asks (decisions K40). */
export const wantedBy = (request: SkillRequest): Wanted => ({
  notOf: request.operator_id,
  maxPriceCents: request.max_price_cents,
  tags: request.tags,
  inputDeclared: request.desired_input_schema === null ? null : fieldsOf(request.desired_input_schema).declared,
  outputRequired: request.desired_output_schema === null ? null : fieldsOf(request.desired_output_schema).required,
  words: searchWords(request.description),
});
