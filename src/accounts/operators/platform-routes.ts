import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { cursorList } from '../../http/lists/pagination.ts';
import { AdministerOperatorSchema, operatorFilters, OperatorSchema } from './schema.ts';
import { administerOperator, readOperator } from './operators.ts';
import { listOperators } from './queries.ts';

const params = z.object({ id: z.string() });

const pages = cursorList({
  name: 'operators',
  item: OperatorSchema,
  position: z.object({ id: z.string() }),
  maximum: 100,
  standard: 50,
});

export const getOperators = route({
  method: 'get',
  path: '/v1/admin/operators',
  operation: 'listOperators',
  tag: 'platform',
  summary: 'List the operators, newest first',
  description: 'Tier, state and address of each. Their wallets and what they keep are not in it.',
  audience: 'platform',
  query: z.object({ ...pages.query, ...operatorFilters }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, query } = request;
    const { limit, cursor: _, ...filters } = query;
    const before = pages.after(request)?.id ?? null;
    const rows = await listOperators(context.pool, { ...filters, before, limit: limit + 1 });
    return pages.answer(request, [...rows], ({ id }) => ({ id }));
  },
});

export const getOperator = route({
  method: 'get',
  path: '/v1/admin/operators/:id',
  operation: 'getOperator',
  tag: 'platform',
  summary: 'Show an operator',
  description: 'As the operator itself is shown it.',
  audience: 'platform',
  params,
  status: 200,
  reply: OperatorSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { id } }) => ({ status: 200, body: await readOperator(context, id) }),
});

export const patchOperator = route({
  method: 'patch',
  path: '/v1/admin/operators/:id',
  operation: 'administerOperator',
  tag: 'platform',
  summary: 'Set tier, suspension or commission of an operator',
  description:
    'The keys of a suspended operator and of its agents are 403 OPERATOR_SUSPENDED, its passports are revoked, and its ' +
    'skills cannot be invoked.',
  audience: 'platform',
  params,
  body: AdministerOperatorSchema,
  example: { tier: 'pro' },
  status: 200,
  reply: OperatorSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, params: { id }, body }) =>
    administerOperator(context, call, { operatorId: id, patch: body }),
});

export const platformRoutes: AnyRoute[] = [getOperators, getOperator, patchOperator];
