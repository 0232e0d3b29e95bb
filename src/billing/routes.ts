import { route, type AnyRoute } from '../http/route.ts';
import { payoutRoutes } from './payout-routes.ts';
import { readBalance } from './queries.ts';
import { BalanceSchema } from './schema.ts';
import { refundRoutes } from './refund-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { statementRoutes } from './statement-routes.ts';
import { topUpRoutes } from './top-up-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

const getBalance = route({
  method: 'get',
  path: '/v1/billing/balance',
  operation: 'getBalance',
  tag: 'billing',
  summary: 'Read the balance of your wallet',
  audience: 'anyone',
  status: 200,
  reply: BalanceSchema,
  handler: async ({ context, caller }) => ({ status: 200, body: await readBalance(context.pool, caller.operatorId) }),
});

export const billingRoutes: AnyRoute[] = [
  getBalance,
  ...statementRoutes,
  ...usageRoutes,
  ...payoutRoutes,
  ...subscriptionRoutes,
  ...topUpRoutes,
  ...refundRoutes,
  ...webhookRoutes,
];
