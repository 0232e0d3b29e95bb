import type { AnyRoute } from '../http/route.ts';
import { authorityBindingRoutes } from './bindings/routes.ts';
import { serviceConnectionRoutes } from './connections/routes.ts';
import { grantRoutes } from './grants/routes.ts';
import { identityClaimRoutes } from './identity-claims/routes.ts';
import { missionRoutes } from './missions/routes.ts';

export const authorityRoutes: AnyRoute[] = [
  ...serviceConnectionRoutes,
  ...grantRoutes,
  ...missionRoutes,
  ...authorityBindingRoutes,
  ...identityClaimRoutes,
];
