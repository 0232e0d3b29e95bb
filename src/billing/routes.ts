import { route, type AnyRoute } from '../http/route.ts';
import { payoutRoutes } from './payouts/routes.ts';
import { readBalance } from './wallet/queries.ts';
import { BalanceSchema } from './wallet/schema.ts';
import { refundRoutes } from './payments/refunds/routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { statementRoutes } from './statement/routes.ts';
import { topUpRoutes } from './payments/top-ups/routes.ts';
import { usageRoutes } from './metering/routes.ts';
import { webhookRoutes } from './payments/webhook/routes.ts';

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
