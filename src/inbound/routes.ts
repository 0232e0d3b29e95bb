import type { AnyRoute } from '../http/route.ts';
import { endpointRoutes } from './endpoints/routes.ts';

export const inboundRoutes: AnyRoute[] = [...endpointRoutes];
