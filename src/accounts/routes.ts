import type { AnyRoute } from '../http/route.ts';
import { agentRoutes } from './agents/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { operatorRoutes } from './operators/routes.ts';
import { platformRoutes } from './operators/platform-routes.ts';
import { partnerGrantRoutes } from './partner-grants/routes.ts';

export const accountRoutes: AnyRoute[] = [
  ...operatorRoutes,
  ...apiKeyRoutes,
  ...memberRoutes,
  ...agentRoutes,
  ...partnerGrantRoutes,
  ...auditRoutes,
  ...platformRoutes,
];
