import type { AnyRoute } from '../http/route.ts';
import { accountabilityRoutes } from './accountability-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { verifyRoutes } from './verify-routes.ts';

export const passportRoutes: AnyRoute[] = [...verifyRoutes, ...keyRoutes, ...accountabilityRoutes];
