import { accountRoutes } from '../accounts/routes.ts';
import { authorityRoutes } from '../authority/routes.ts';
import { billingRoutes } from '../billing/routes.ts';
import { claimRoutes } from '../claims/routes.ts';
import { credentialRoutes } from '../credentials/routes.ts';
import { dashboardRoutes } from '../dashboard/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { governanceRoutes } from '../governance/routes.ts';
import type { AnyRoute } from '../http/route.ts';
import { inboundRoutes } from '../inbound/routes.ts';
import { invocationRoutes } from '../invocations/routes.ts';
import type { Config } from '../context/config.ts';
import { lifeRoutes } from '../lives/routes.ts';
import { mailRoutes } from '../mail/routes.ts';
import { mcpDoor } from '../mcp/door.ts';
import { notificationRoutes } from '../notifications/routes.ts';
import { passportRoutes } from '../passports/routes.ts';
import { retentionRoutes } from '../retention/routes.ts';
import { skillRequestRoutes } from '../skill-requests/routes.ts';
import { skillRoutes } from '../skills/routes.ts';

/** Every route of the service, a domain after the other. */
export const routes: AnyRoute[] = [
  ...accountRoutes,
  ...authorityRoutes,
  ...skillRoutes,
  ...credentialRoutes,
  ...invocationRoutes,
  ...skillRequestRoutes,
  ...passportRoutes,
  ...billingRoutes,
  ...governanceRoutes,
  ...dashboardRoutes,
  ...lifeRoutes,
  ...mailRoutes,
  ...claimRoutes,
  ...eventRoutes,
  ...notificationRoutes,
  ...inboundRoutes,
  ...retentionRoutes,
];

/** Those that speak another protocol than REST. */
export const doors = (config: Pick<Config, 'publicBaseUrl'>): AnyRoute[] => [mcpDoor(config)];
