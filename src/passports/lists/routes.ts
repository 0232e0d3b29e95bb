import { z } from 'zod';
import { notFound } from '../../errors/carnet-error.ts';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { claimsOfPassport, findPassport, listPassports, rightsOfPassport } from './queries.ts';
import { ActivePassportSchema, EvidencedPassportSchema, PassportSchema, PassportStatus } from '../schema.ts';

const tag = 'passports';
const audience = 'operator-scope';

/** Most entries of the array, 700 bytes each; GET /v1/passports has more, by cursor. */
const MAX_ACTIVE = 10_000;
const holderFilter = { agent_id: z.string().optional(), session_id: z.string().optional() };

const active = route({
  method: 'get',
  path: '/v1/passports/active',
  operation: 'listActivePassports',
  tag,
  summary: 'List the active passports, newest first',
  description: `The newest ${MAX_ACTIVE}; \`GET /v1/passports?status=active\` lists all of them, by cursor.`,
  audience,
  query: z.object(holderFilter),
  status: 200,
  reply: z.array(ActivePassportSchema),
  handler: async ({ context, caller: { operatorId }, query }) => {
    const filter = { operatorId, agentId: query.agent_id, sessionId: query.session_id, status: 'active' as const };
    return { status: 200, body: await listPassports(context.pool, { ...filter, after: null, limit: MAX_ACTIVE }) };
  },
});

const pages = cursorList({ name: 'passports', item: PassportSchema, position: z.string(), maximum: 100, standard: 20 });

export const search = route({
  method: 'get',
  path: '/v1/passports',
  operation: 'listPassports',
  tag,
  summary: 'List passports, newest first',
  description: 'Without tokens: a token is shown once, when it is issued. Filters are kept in the cursor.',
  audience,
  query: z.object({ ...pages.query, ...holderFilter, status: PassportStatus.optional() }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const rows = await listPassports(context.pool, {
      operatorId: caller.operatorId,
      agentId: query.agent_id,
      sessionId: query.session_id,
      status: query.status,
      after: pages.after(request),
      limit: query.limit + 1,
    });
    return pages.answer(request, rows, ({ jti }) => jti);
  },
});

export const get = route({
  method: 'get',
  path: '/v1/passports/:jti',
  operation: 'getPassport',
  tag,
  summary: 'Show a passport',
  description:
    'The content of the passport, whether it is valid, and what it was delegated or refreshed from. The token is not shown.',
  audience,
  params: z.object({ jti: z.string() }),
  status: 200,
  reply: EvidencedPassportSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller: { operatorId }, params: { jti } }) => {
    const passport = await findPassport(context.pool, operatorId, jti);
    if (passport === null) throw notFound('passport');
    return {
      status: 200,
      body: {
        ...passport,
        ...(await rightsOfPassport(context.pool, jti)),
        claim_ids: await claimsOfPassport(context, jti),
      },
    };
  },
});

export const listRoutes: AnyRoute[] = [active, search];

/** Stands after every route with a fixed path of one segment, which it would match too. */
export const byJtiRoutes: AnyRoute[] = [get];
