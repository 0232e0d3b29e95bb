import { accountRoutes } from './accounts/routes.ts';
import { billingRoutes } from './billing/routes.ts';
import { skillRoutes } from './skills/routes.ts';
import { invocationRoutes } from './invocations/routes.ts';
import type { AnyRoute } from './http/route.ts';

/** Every route of the service, a domain after the other. */
export const routes: AnyRoute[] = [...accountRoutes, ...skillRoutes, ...invocationRoutes, ...billingRoutes];
