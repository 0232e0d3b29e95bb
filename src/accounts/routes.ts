import type { AnyRoute } from '../http/route.ts';
import { agentRoutes } from './agent-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { authorityBindingRoutes } from './authority-binding-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { identityClaimRoutes } from './identity-claim-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { missionRoutes } from './mission-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { platformRoutes } from './platform-routes.ts';
import { serviceConnectionRoutes } from './service-connection-routes.ts';

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
