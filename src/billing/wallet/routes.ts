import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { AdjustmentSchema, createAdjustment, CreateAdjustmentSchema } from './adjustments.ts';
import { readBalance } from './queries.ts';
import { BalanceSchema } from './schema.ts';

export const getBalance = route({
  method: 'get',
  path: '/v1/billing/balance',
  operation: 'getBalance',
  tag: 'billing',
  summary: 'Read the balance of your wallet',
  description:
    '`available_cents` is what can be spent now: the balance without what is held and what meters have begun to use.',
  audience: 'anyone',
  status: 200,
  reply: BalanceSchema,
  handler: async ({ context, caller }) => ({ status: 200, body: await readBalance(context.pool, caller.operatorId) }),
});

export const postAdjustment = route({
  method: 'post',
  path: '/v1/admin/operators/:id/adjustments',
  operation: 'createAdjustment',
  tag: 'platform',
  summary: 'Put cents into the wallet of an operator, or take them out',
  description: 'A person who administers the platform approves it.',
  audience: 'platform',
  params: z.object({ id: z.string() }),
  body: CreateAdjustmentSchema,
  example: { amount_cents: 1_000, description: 'Welcome credit' },
  status: 201,
  reply: AdjustmentSchema,
  refusals: ['NOT_FOUND', 'BALANCE_TOO_LOW', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => createAdjustment(context, call, { operatorId: id, ...body }),
});

export const walletRoutes: AnyRoute[] = [getBalance, postAdjustment];
