import type { AnyRoute } from '../http/route.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { heldRoutes } from './events/held-routes.ts';
import { eventRoutes } from './events/routes.ts';
import { receiverRoutes } from './receiver/routes.ts';

export const inboundRoutes: AnyRoute[] = [...endpointRoutes, ...eventRoutes, ...heldRoutes, ...receiverRoutes];
