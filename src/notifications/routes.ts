import type { AnyRoute } from '../http/route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { destinationRoutes } from './destinations/routes.ts';
import { ruleRoutes } from './rules/routes.ts';

export const notificationRoutes: AnyRoute[] = [...destinationRoutes, ...ruleRoutes, ...deliveryRoutes];
