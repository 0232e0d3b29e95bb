import { z } from 'zod';
import { offsetAnswer } from '../http/lists/pagination.ts';
import { MANY_VALUES, route, type AnyRoute } from '../http/route.ts';
import { browseSkills } from './browsing/browse.ts';
import { browsePages, BrowseQuerySchema, SkillPageSchema } from './browsing/schema.ts';
import { changeStatus } from './review/change-status.ts';
import { evaluateTrust } from './trust/check-trust.ts';
import { CheckTrustSchema, TrustEvaluationSchema } from './trust/schema.ts';
import { findSimilar, SimilarSkillsSchema } from './matching/similar.ts';
import { setFavorite } from './favorites.ts';
import { listRoutes } from './list-routes.ts';
import { presentSkills } from './presenter.ts';
import { checkSkill } from './publishing/check-skill.ts';
import { publishSkill } from './publishing/publish-skill.ts';
import { readRatings, rateSkill } from './ratings/ratings.ts';
import { RatedSchema, RateSkillSchema, RatingSummarySchema } from './ratings/schema.ts';
import { registryRoutes } from './registry/routes.ts';
import { reviewRoutes } from './review/review-routes.ts';
import {
  CheckedSkillSchema,
  CheckSkillSchema,
  FavoritedSchema,
  PublishSkillSchema,
  SkillSchema,
  UpdateSkillSchema,
} from './schema.ts';
import { findVisibleSkill, readSkill } from './show-skill.ts';
import { updateSkill } from './publishing/update-skill.ts';

/** Two JSON Schemas, each as much as other JSON. */
const MAX_SKILL_VALUES = 2 * MANY_VALUES;
const tag = 'skills';
const params = z.object({ id: z.string() });
/** The scripts of a skill may have 500,000 characters, up to 2 MB in UTF-8: more than the 1 MiB of other bodies (decision C22). */
export const PUBLISH_BODY_BYTES = 4 * 1024 * 1024;

const echo = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

export const publish = route({
  method: 'post',
  path: '/v1/skills',
  operation: 'publishSkill',
  tag,
  summary: 'Publish a skill',
  description: 'Active immediately, or pending_review where the service would execute it or show it as code.',
  audience: 'anyone',
  body: PublishSkillSchema,
  maxValues: MAX_SKILL_VALUES,
  bodyLimit: PUBLISH_BODY_BYTES,
  status: 201,
  reply: SkillSchema,
  refusals: ['SKILL_NAME_TAKEN', 'ADMIN_REQUIRED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  example: {
    name: 'summarise-text',
    description: 'Summarises a text in three sentences.',
    version: '1.0.0',
    input_schema: echo,
    output_schema: echo,
    trust_level_required: 'L0',
    tags: ['text', 'summary'],
    price_per_invocation: 25,
  },
  handler: ({ context, call, body }) => publishSkill(context, call, body),
});

export const check = route({
  method: 'post',
  path: '/v1/skills/check',
  operation: 'checkSkill',
  tag,
  summary: 'Check a skill before it is published',
  description:
    'Refuses what `POST /v1/skills` would refuse of the same body, but a name that is taken; and an `input` that the skill would not take. Nothing is stored, and nothing is executed.',
  audience: 'anyone',
  body: CheckSkillSchema,
  maxValues: MAX_SKILL_VALUES,
  bodyLimit: PUBLISH_BODY_BYTES,
  status: 200,
  reply: CheckedSkillSchema,
  refusals: ['ADMIN_REQUIRED', 'INPUT_SCHEMA_MISMATCH'],
  example: {
    name: 'summarise-text',
    description: 'Summarises a text in three sentences.',
    version: '1.0.0',
    input_schema: echo,
    output_schema: echo,
    trust_level_required: 'L0',
    input: { text: 'hello' },
  },
  handler: async ({ context, caller, body }) => {
    await checkSkill(context, caller, body);
    return { status: 200, body: { publishable: true as const } };
  },
});

export const browse = route({
  method: 'get',
  path: '/v1/skills',
  operation: 'browseSkills',
  tag,
  summary: 'Browse and search the marketplace',
  description:
    'Shows active skills, best match first unless `sort` says otherwise. `q` finds skills with any of its words; `tags` those with any of them, or with all by `tags_match=all`. Read on by `offset`, or by `next_cursor` as `cursor`, which misses and repeats none. Code and schemas are left out: read the skill for them. A passport that may invoke sees the market as other operators do.',
  audience: 'anyone-or-passport',
  query: BrowseQuerySchema,
  status: 200,
  reply: SkillPageSchema,
  refusals: ['INVALID_CURSOR'],
  // The newest are a page of an index.
  isHeavy: ({ q, search, tags, sort, max_price_cents: maximum }) =>
    [q, search, tags, maximum].some((given) => given !== undefined) || (sort !== 'relevance' && sort !== 'newest'),
  handler: async (request) => {
    const { context, caller, query } = request;
    const { rows, total, found, end } = await browseSkills(context.pool, caller, {
      query,
      after: browsePages.after(request),
    });
    const answer = offsetAnswer('skills', { items: presentSkills(rows.slice(0, query.limit), caller), total, query });
    const shown = answer.body.skills.length;
    const last = rows.length > shown ? rows[shown - 1] : end;
    const { members, links } = browsePages.next(
      request,
      last === null || last === undefined ? null : { key: last.key, id: last.id, found, total },
    );
    return {
      ...answer,
      body: { ...answer.body, ...members },
      links: query.cursor === undefined ? answer.links : links,
    };
  },
});

export const read = route({
  method: 'get',
  path: '/v1/skills/:id',
  operation: 'readSkill',
  tag,
  summary: 'Read a skill',
  description:
    'Its code is shown to its owner, and to everybody where execution_mode is `source`. A passport that may invoke reads it as other operators do.',
  audience: 'anyone-or-passport',
  params,
  status: 200,
  reply: SkillSchema,
  cache: 'private, no-cache',
  refusals: ['NOT_FOUND'],
  handler: ({ context, caller, params: { id } }) => readSkill(context, caller, id),
});

export const update = route({
  method: 'patch',
  path: '/v1/skills/:id',
  operation: 'updateSkill',
  tag,
  summary: 'Change a skill',
  description: 'Every change is a new revision; invocations keep the one they were made with.',
  audience: 'anyone',
  params,
  body: UpdateSkillSchema,
  maxValues: MAX_SKILL_VALUES,
  status: 200,
  reply: SkillSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'VERSION_IMMUTABLE', 'ADMIN_REQUIRED'],
  example: { price_per_invocation: 30 },
  handler: ({ context, call, params: { id }, body }) => updateSkill(context, call, { id, body }),
});

/** Beside those of every change by its owner. */
const OWN_REFUSALS = { suspend: [], activate: ['INVALID_STATE', 'ADMIN_REQUIRED'], unlist: ['INVALID_STATE'] } as const;

interface Words {
  summary: string;
  description: string;
}

const ownerAction = (action: 'suspend' | 'activate' | 'unlist', words: Words) =>
  route({
    method: 'post',
    path: `/v1/skills/:id/${action}`,
    operation: `${action}Skill`,
    tag,
    ...words,
    audience: 'anyone',
    params,
    status: 200,
    reply: SkillSchema,
    refusals: ['NOT_FOUND', 'NOT_OWNER', ...OWN_REFUSALS[action]],
    handler: ({ context, call, params: { id } }) => changeStatus(context, call, { id, by: 'owner', action }),
  });

const favoriteAction = (method: 'post' | 'delete', words: Words) =>
  route({
    method,
    path: '/v1/skills/:id/favorite',
    operation: method === 'post' ? 'favoriteSkill' : 'unfavoriteSkill',
    tag,
    ...words,
    audience: 'anyone',
    params,
    status: 200,
    reply: FavoritedSchema,
    refusals: ['NOT_FOUND'],
    handler: ({ context, call, params: { id } }) => setFavorite(context, call, { id, favorited: method === 'post' }),
  });

export const rate = route({
  method: 'post',
  path: '/v1/skills/:id/rate',
  operation: 'rateSkill',
  tag,
  summary: 'Rate a skill',
  description: 'One rating per operator; rating again changes it.',
  audience: 'anyone',
  params,
  body: RateSkillSchema,
  status: 200,
  reply: RatedSchema,
  refusals: ['NOT_FOUND', 'SELF_RATING'],
  example: { rating: 5 },
  handler: ({ context, call, params: { id }, body }) => rateSkill(context, call, { id, body }),
});

export const ratings = route({
  method: 'get',
  path: '/v1/skills/:id/ratings',
  operation: 'readSkillRatings',
  tag,
  summary: 'Read the rating summary of a skill',
  description:
    'Each operator counts once. `verified_count` is how many of them have completed an invocation of the skill.',
  audience: 'anyone',
  params,
  status: 200,
  reply: RatingSummarySchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readRatings(context, caller, id),
  }),
});

export const similar = route({
  method: 'get',
  path: '/v1/skills/:id/similar',
  operation: 'findSimilarSkills',
  tag,
  summary: 'Find skills that could stand in for a skill',
  description:
    'Up to ten active skills whose schemas are near: they need what it takes, and give what it gives; best first. Where its schemas name no properties, those that share words with its name.',
  audience: 'anyone',
  params,
  status: 200,
  reply: SimilarSkillsSchema,
  isHeavy: () => true,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await findSimilar(context, caller, id),
  }),
});

const checkTrust = route({
  method: 'post',
  path: '/v1/skills/:id/check-trust',
  operation: 'checkSkillTrust',
  tag,
  summary: 'Check whether claims satisfy the trust level of a skill',
  description: 'Only the claims of the body count; invoking uses the claims that are stored.',
  audience: 'anyone',
  params,
  body: CheckTrustSchema,
  maxValues: MANY_VALUES,
  status: 200,
  reply: TrustEvaluationSchema,
  refusals: ['NOT_FOUND'],
  example: { passport_claims: [{ claim_type: 'kyc', assurance_level: 'substantial' }] },
  handler: async ({ context, caller, params: { id }, body }) => {
    const { row } = await findVisibleSkill(context, caller, id);
    return { status: 200, body: evaluateTrust(row.trust_level_required, body.passport_claims, Date.now() / 1_000) };
  },
});

export const suspend = ownerAction('suspend', {
  summary: 'Take a skill offline',
  description:
    'Nobody can invoke it any more; open invocations go on. Who knows its id can still read it, if it was public. Repeating it is answered the same.',
});

export const activate = ownerAction('activate', {
  summary: 'Bring a skill back',
  description:
    'It is public again. One that was rejected, taken down or never approved goes to review first, and its `status` is `pending_review`.',
});

export const unlist = ownerAction('unlist', {
  summary: 'Remove a skill from browsing; it can still be invoked by id',
  description: 'It is in no list, match or suggestion from the answer on.',
});

export const favor = favoriteAction('post', {
  summary: 'Add a skill to the favourites',
  description: 'Favourites belong to the operator and are shared by its keys. Repeating it is answered the same.',
});

export const unfavor = favoriteAction('delete', {
  summary: 'Remove a skill from the favourites',
  description:
    'It works for a favourite too that you may not see any more. Repeating it is answered the same while you may see the skill.',
});

export const skillRoutes: AnyRoute[] = [
  publish,
  browse,
  ...listRoutes,
  ...reviewRoutes,
  ...registryRoutes,
  read,
  update,
  suspend,
  activate,
  unlist,
  favor,
  unfavor,
  rate,
  ratings,
  similar,
  checkTrust,
  check,
];
