import type { Matches, SkillRequest, Suggestions } from '../../src/skill-requests/schema.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, type Requester } from '../support/service.ts';

export const posted = (overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  description: 'Summaries of contracts',
  ...overrides,
});

export const postRequest = async (owner: Requester, overrides: Record<string, unknown> = {}): Promise<SkillRequest> =>
  assertStatus(await owner.post<SkillRequest>('/v1/skill-requests', posted(overrides)), 201);

/** An object schema of string properties, all of them required. */
export const schemaOf = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

/** Names that no other test uses, so that the skills of other tests do not fit. */
export const fields = <Names extends string[]>(...names: Names): { [at in keyof Names]: string } => {
  const suffix = unique('f').slice(2);
  return names.map((name) => `${name}_${suffix}`) as { [at in keyof Names]: string };
};

export const matchesOf = async (caller: Requester, id: string): Promise<Matches['matches']> =>
  assertStatus(await caller.get<Matches>(`/v1/skill-requests/${id}/matches`), 200).matches;

export const suggestionsOf = async (caller: Requester, id: string): Promise<Suggestions['suggestions']> =>
  assertStatus(await caller.get<Suggestions>(`/v1/skill-requests/${id}/suggest`), 200).suggestions;
