import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { AdministerOperatorSchema, OperatorSchema } from './schema.ts';
import { administerOperator } from './operators.ts';

const params = z.object({ id: z.string() });

const patchOperator = route({
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

export const platformRoutes: AnyRoute[] = [patchOperator];
