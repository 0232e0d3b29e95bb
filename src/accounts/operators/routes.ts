import { MANY_VALUES, route, type AnyRoute } from '../../http/route.ts';
import { registerOperator } from '../register.ts';
import { readOwnOperator, updateOwnOperator } from './operators.ts';
import { OperatorSchema, RegisteredOperatorSchema, RegisterOperatorSchema, UpdateOperatorSchema } from './schema.ts';

export const postOperator = route({
  method: 'post',
  path: '/v1/operators',
  operation: 'registerOperator',
  tag: 'platform',
  summary: 'Register an operator and make its first key',
  description:
    'Makes an operator of the tier `free`, whose owner is the person with this e-mail address, and its first API key. The key is in this answer only.',
  audience: 'platform',
  body: RegisterOperatorSchema,
  example: { name: 'Ada Ltd', email: 'ada@example.com' },
  status: 201,
  reply: RegisteredOperatorSchema,
  handler: ({ context, call, body }) => registerOperator(context, call, body),
});

export const getOwnOperator = route({
  method: 'get',
  path: '/v1/operators/me',
  operation: 'getOwnOperator',
  tag: 'accounts',
  summary: 'Show the operator that the key belongs to',
  description: 'Its tier, and what can be changed by PATCH, as it is now.',
  audience: 'operator',
  status: 200,
  reply: OperatorSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller }) => ({ status: 200, body: await readOwnOperator(context, caller) }),
});

export const patchOwnOperator = route({
  method: 'patch',
  path: '/v1/operators/me',
  operation: 'updateOwnOperator',
  tag: 'accounts',
  summary:
    'Change the name, the e-mail address, the payout account, the low balance, the public keys or what passports may do of the operator',
  description:
    'A member that is left out stays as it is. A payout account, public keys and letting passports invoke need the approval of a person: without it the answer names an approval to wait for.',
  audience: 'admin',
  body: UpdateOperatorSchema,
  maxValues: MANY_VALUES,
  example: { name: 'Ada & Daughters Ltd' },
  status: 200,
  reply: OperatorSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => updateOwnOperator(context, call, body),
});

export const operatorRoutes: AnyRoute[] = [postOperator, getOwnOperator, patchOwnOperator];
