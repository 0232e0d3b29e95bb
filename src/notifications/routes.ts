import type { AnyRoute } from '../http/route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { destinationRoutes } from './destinations/routes.ts';

export const notificationRoutes: AnyRoute[] = [...destinationRoutes, ...deliveryRoutes];
