import { z } from 'zod';
import { sql } from '../../database/pool.ts';
import type { Context } from '../../context/context.ts';

const PortalRow = z.object({ configuration_id: z.string() });

/**
 * Checks the configuration of the provider's portal, makes it or mends it, and keeps its id. A worker does so when it
 * starts, and before the first page where that has not succeeded.
 */
export async function ensurePortal(context: Context): Promise<string | null> {
  const { pool, payments } = context;
  const configurationId = await payments.ensurePortal(await keptId(context));
  if (configurationId === null) return null;
  await pool.query(sql.type(z.object({}))`
    insert into payment_portals (provider, configuration_id) values (${providerOf(context)}, ${configurationId})
    on conflict (provider) do update set configuration_id = excluded.configuration_id`);
  return configurationId;
}

/** The id that pages of the portal are opened with; null where the provider has none. */
export const portalConfigurationOf = async (context: Context): Promise<string | null> =>
  (await keptId(context)) ?? ensurePortal(context);

const keptId = (context: Context): Promise<string | null> =>
  context.pool.maybeOneFirst(sql.type(PortalRow)`
    select configuration_id from payment_portals where provider = ${providerOf(context)}`);

const providerOf = ({ config }: Context): string => config.payments?.provider ?? '';
