import type { AnyRoute } from '../http/route.ts';
import { accountabilityRoutes } from './accountability/routes.ts';
import { issuingRoutes } from './issuing/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { byJtiRoutes, listRoutes } from './lists/routes.ts';
import { revocationRoutes } from './revoking/routes.ts';
import { verifyRoutes } from './verifying/routes.ts';

export const passportRoutes: AnyRoute[] = [
  ...verifyRoutes,
  ...issuingRoutes,
  ...revocationRoutes,
  ...listRoutes,
  ...keyRoutes,
  ...accountabilityRoutes,
  ...byJtiRoutes,
];
