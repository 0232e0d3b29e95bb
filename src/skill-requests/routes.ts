import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { MANY_VALUES, route, type AnyRoute } from '../http/route.ts';
import { matchSkills } from './match.ts';
import { pageOfSkillRequests } from './queries.ts';
import {
  ListedSkillRequestSchema,
  MatchesSchema,
  PostSkillRequestSchema,
  SkillRequestSchema,
  SkillRequestStatus,
  SuggestionsSchema,
  UpdateSkillRequestSchema,
} from './schema.ts';
import { postSkillRequest, readSkillRequest, updateSkillRequest } from './skill-requests.ts';
import { suggestCompositions } from './suggest.ts';

const tag = 'skill-requests';
const params = z.object({ id: z.string() });

export const post = route({
  method: 'post',
  path: '/v1/skill-requests',
  operation: 'postSkillRequest',
  tag,
  summary: 'Post a request for a skill',
  description:
    'It is public to all operators. Name tags and schemas: skills are compared by them, and by the words of the description only where there are none.',
  audience: 'anyone',
  body: PostSkillRequestSchema,
  // Two JSON Schemas, each as much as other JSON.
  maxValues: 2 * MANY_VALUES,
  status: 201,
  reply: SkillRequestSchema,
  example: {
    description: 'Summaries of German contracts in English',
    tags: ['legal', 'summary'],
    max_price_cents: 100,
  },
  handler: ({ context, call, body }) => postSkillRequest(context, call, body),
});

export const list = route({
  method: 'get',
  path: '/v1/skill-requests',
  operation: 'listSkillRequests',
  tag,
  summary: 'Read the request board, newest first',
  description: 'Requests of all operators. Their owners say by `status` which are still open.',
  audience: 'anyone',
  query: z.object({ status: SkillRequestStatus.optional(), ...offsetQuery }),
  status: 200,
  reply: offsetList('skill_requests', ListedSkillRequestSchema),
  handler: async ({ context, query }) => {
    const { skillRequests, total } = await pageOfSkillRequests(context.pool, query);
    return offsetAnswer('skill_requests', { items: [...skillRequests], total, query });
  },
});

export const read = route({
  method: 'get',
  path: '/v1/skill-requests/:id',
  operation: 'readSkillRequest',
  tag,
  summary: 'Read a request',
  description: 'Any operator may read it.',
  audience: 'anyone',
  params,
  status: 200,
  reply: SkillRequestSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { id } }) => ({ status: 200, body: await readSkillRequest(context, id) }),
});

export const update = route({
  method: 'patch',
  path: '/v1/skill-requests/:id',
  operation: 'updateSkillRequest',
  tag,
  summary: 'Change the status or the description of your request',
  description: 'For the operator that posted it. Tags, schemas and price stay as they were posted.',
  audience: 'anyone',
  params,
  body: UpdateSkillRequestSchema,
  status: 200,
  reply: SkillRequestSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER'],
  example: { status: 'fulfilled' },
  handler: ({ context, call, params: { id }, body }) => updateSkillRequest(context, call, { id, body }),
});

export const matches = route({
  method: 'get',
  path: '/v1/skill-requests/:id/matches',
  operation: 'matchSkillRequest',
  tag,
  summary: 'Find skills that fit a request, with score and reasons',
  description:
    'Up to twenty public skills of other operators that accept requests, within the price, best first. A skill that shares nothing with the request is none of them.',
  audience: 'anyone',
  params,
  status: 200,
  reply: MatchesSchema,
  isHeavy: () => true,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await matchSkills(context, caller, id),
  }),
});

export const suggest = route({
  method: 'get',
  path: '/v1/skill-requests/:id/suggest',
  operation: 'suggestForSkillRequest',
  tag,
  summary: 'Suggest skills that together give what a request needs',
  description:
    'Chains of up to three skills, where each gives what the next needs; `coverage` is the share of the wanted outputs that the chain gives. The price is of all steps together.',
  audience: 'anyone',
  params,
  status: 200,
  reply: SuggestionsSchema,
  isHeavy: () => true,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await suggestCompositions(context, caller, id),
  }),
});

export const skillRequestRoutes: AnyRoute[] = [post, list, read, update, matches, suggest];
