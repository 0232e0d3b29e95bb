import { z } from 'zod';
import { cursorList } from '../http/lists/pagination.ts';
import { route } from '../http/route.ts';
import { listFavorites } from './favorites.ts';
import { presentSkills, presentSkillTo } from './presenter.ts';
import { listOwnSkills } from './queries.ts';
import { ListedSkillSchema, SkillVersionSchema } from './schema.ts';
import { findVisibleSkill } from './show-skill.ts';
import { listVersions } from './versions.ts';

const tag = 'skills';
/** Lists of one's own answer everything up to this many, then a cursor. */
const MAX_ROWS = 1_000;

const ownSkills = cursorList({
  name: 'skills',
  item: ListedSkillSchema,
  position: z.object({ id: z.string() }),
  maximum: MAX_ROWS,
  standard: MAX_ROWS,
});

export const mine = route({
  method: 'get',
  path: '/v1/skills/mine',
  operation: 'listOwnSkills',
  tag,
  summary: 'List the skills you published, in every status',
  description: 'Without code and schemas; `review` says what an administrator decided.',
  audience: 'anyone',
  query: z.object(ownSkills.query),
  status: 200,
  reply: ownSkills.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const after = ownSkills.after(request)?.id ?? null;
    const rows = await listOwnSkills(context.pool, { operatorId: caller.operatorId, after, limit: query.limit + 1 });
    return ownSkills.answer(request, presentSkills(rows, caller), ({ id }) => ({ id }));
  },
});

const favoriteSkills = cursorList({
  name: 'skills',
  item: ListedSkillSchema,
  position: z.object({ position: z.int() }),
  maximum: MAX_ROWS,
  standard: MAX_ROWS,
});

export const favorites = route({
  method: 'get',
  path: '/v1/skills/favorites',
  operation: 'listFavoriteSkills',
  tag,
  summary: 'List your favourite skills, last added first',
  description:
    'Those that you may not see at present, such as one that went back to review, are left out and not forgotten.',
  audience: 'anyone',
  query: z.object({
    ...favoriteSkills.query,
    skill_id: z
      .string()
      .optional()
      .meta({ description: 'This skill alone: the list is empty where it is no favourite.' }),
  }),
  status: 200,
  reply: favoriteSkills.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const after = favoriteSkills.after(request)?.position ?? null;
    const page = { after, limit: query.limit + 1, skillId: query.skill_id };
    const rows = await listFavorites(context.pool, caller, page);
    const shown = rows.map(({ position, ...row }) => ({ ...presentSkillTo(row, caller), position }));
    return favoriteSkills.answer(request, shown, ({ position }) => ({ position }));
  },
});

const skillVersions = cursorList({
  name: 'versions',
  item: SkillVersionSchema,
  position: z.object({ revision: z.int() }),
  maximum: MAX_ROWS,
  standard: MAX_ROWS,
});

export const versions = route({
  method: 'get',
  path: '/v1/skills/:id/versions',
  operation: 'listSkillVersions',
  tag,
  summary: 'List the revisions of a skill, newest first',
  description:
    'Each change of schemas, version or price is a revision, with what held then. An invocation names the revision that it was made under.',
  audience: 'anyone',
  params: z.object({ id: z.string() }),
  query: z.object(skillVersions.query),
  status: 200,
  reply: skillVersions.reply,
  refusals: ['NOT_FOUND', 'INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, params, query } = request;
    await findVisibleSkill(context, caller, params.id);
    const after = skillVersions.after(request)?.revision ?? null;
    const rows = await listVersions(context.pool, params.id, { after, limit: query.limit + 1 });
    return skillVersions.answer(request, [...rows], ({ revision }) => ({ revision }));
  },
});

export const listRoutes = [mine, favorites, versions];
