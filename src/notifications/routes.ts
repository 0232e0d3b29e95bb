import type { AnyRoute } from '../http/route.ts';
import { ruleRoutes } from './rules/routes.ts';

export const notificationRoutes: AnyRoute[] = [...ruleRoutes];
