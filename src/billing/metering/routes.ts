import { route, type AnyRoute } from '../../http/route.ts';
import { readUsage } from './queries.ts';
import { UsageSchema } from './schema.ts';

export const getUsage = route({
  method: 'get',
  path: '/v1/billing/usage',
  operation: 'getUsage',
  tag: 'billing',
  summary: 'Read what you used of what your tier includes',
  description:
    'Allowances start again with each calendar month (UTC); the billing period is that of the subscription. Each metered action ' +
    'over the allowance costs a hundredth of a cent.',
  audience: 'anyone',
  status: 200,
  reply: UsageSchema,
  handler: async ({ context, caller }) => ({ status: 200, body: await readUsage(context.pool, caller.operatorId) }),
});

export const usageRoutes: AnyRoute[] = [getUsage];
