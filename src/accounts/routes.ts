import type { AnyRoute } from '../http/route.ts';
import { agentRoutes } from '../authority/agents/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { authorityBindingRoutes } from '../authority/bindings/routes.ts';
import { grantRoutes } from '../authority/grants/routes.ts';
import { identityClaimRoutes } from '../authority/identity-claims/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { missionRoutes } from '../authority/missions/routes.ts';
import { operatorRoutes } from './operators/routes.ts';
import { platformRoutes } from './operators/platform-routes.ts';
import { serviceConnectionRoutes } from '../authority/connections/routes.ts';

export const accountRoutes: AnyRoute[] = [
  ...operatorRoutes,
  ...apiKeyRoutes,
  ...memberRoutes,
  ...agentRoutes,
  ...serviceConnectionRoutes,
  ...grantRoutes,
  ...missionRoutes,
  ...authorityBindingRoutes,
  ...identityClaimRoutes,
  ...auditRoutes,
  ...platformRoutes,
];
