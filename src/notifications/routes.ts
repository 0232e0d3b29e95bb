import type { AnyRoute } from '../http/route.ts';
import { destinationRoutes } from './destinations/routes.ts';

export const notificationRoutes: AnyRoute[] = [...destinationRoutes];
