import type { AnyRoute } from '../http/route.ts';
import { caseRoutes } from './cases/routes.ts';
import { payoutRoutes } from './payouts/routes.ts';
import { walletRoutes } from './wallet/routes.ts';
import { refundRoutes } from './payments/refunds/routes.ts';
import { differingRoutes } from './payments/differing/routes.ts';
import { disputeRoutes } from './payments/disputes/routes.ts';
import { promisedRoutes } from './wallet/promised/routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { statementRoutes } from './statement/routes.ts';
import { topUpRoutes } from './payments/top-ups/routes.ts';
import { usageRoutes } from './metering/routes.ts';
import { webhookRoutes } from './webhook/routes.ts';

export const billingRoutes: AnyRoute[] = [
  ...walletRoutes,
  ...promisedRoutes,
  ...statementRoutes,
  ...usageRoutes,
  ...payoutRoutes,
  ...subscriptionRoutes,
  ...topUpRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...differingRoutes,
  ...webhookRoutes,
  ...caseRoutes,
];
