import type { AnyRoute } from '../http/route.ts';
import { accountabilityRoutes } from './accountability-routes.ts';
import { issuingRoutes } from './issuing-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { byJtiRoutes, listRoutes } from './list-routes.ts';
import { revocationRoutes } from './revocation-routes.ts';
import { verifyRoutes } from './verify-routes.ts';

export const passportRoutes: AnyRoute[] = [
  ...verifyRoutes,
  ...issuingRoutes,
  ...revocationRoutes,
  ...listRoutes,
  ...keyRoutes,
  ...accountabilityRoutes,
  ...byJtiRoutes,
];
