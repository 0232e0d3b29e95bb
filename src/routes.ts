import { accountRoutes } from './accounts/routes.ts';
import { billingRoutes } from './billing/routes.ts';
import type { AnyRoute } from './http/route.ts';

/** Every route of the service, a domain after the other. */
export const routes: AnyRoute[] = [...accountRoutes, ...billingRoutes];
