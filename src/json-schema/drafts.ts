import type { JsonObject } from '../json/value.ts';
import { own } from './walk.ts';

/** The drafts that schemas of skills may be written in. */
export const Draft = { draft2020: '2020-12', draft07: 'draft-07' } as const;
export type Draft = (typeof Draft)[keyof typeof Draft];

const DRAFTS: Record<string, Draft> = {
  'json-schema.org/draft/2020-12/schema': Draft.draft2020,
  'json-schema.org/draft-07/schema': Draft.draft07,
};

/**
 * The draft that `$schema` names, 2020-12 where it is absent. http and https, with and without an empty fragment, are the
 * same. Undefined for any other draft.
 */
export function draftOf(schema: JsonObject): Draft | undefined {
  const named = own(schema, '$schema');
  if (named === undefined) return Draft.draft2020;
  if (typeof named !== 'string') return undefined;
  const name = named.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DRAFTS, name) ? DRAFTS[name] : undefined;
}
