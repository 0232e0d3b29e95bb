import { route, type AnyRoute } from '../../http/route.ts';
import { readUsage } from './queries.ts';
import { UsageSchema } from './schema.ts';

const getUsage = route({
  method: 'get',
  path: '/v1/billing/usage',
  operation: 'getUsage',
  tag: 'billing',
  summary: 'Read what you used of what your tier includes',
  description:
    'Allowances begin anew with each calendar month (UTC); the billing period is that of the subscription. What is over the ' +
    'allowance of metered actions costs a hundredth of a cent each.',
  audience: 'anyone',
  status: 200,
  reply: UsageSchema,
  handler: async ({ context, caller }) => ({ status: 200, body: await readUsage(context.pool, caller.operatorId) }),
});

export const usageRoutes: AnyRoute[] = [getUsage];
