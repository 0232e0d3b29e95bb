import type { AnyRoute } from '../http/route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';

export const notificationRoutes: AnyRoute[] = [...deliveryRoutes];
