import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { newId, PLATFORM_OPERATOR_ID } from '../ids/ids.ts';

/**
 * Makes the first person of the platform, who approves what its key requests, from PLATFORM_OWNER_EMAIL. Once the
 * platform has an owner it changes nothing: owners make owners.
 */
export async function ensurePlatformOwner({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<void> {
  if (config.platformOwnerEmail === null) return;
  await pool.query(sql.type(z.object({}))`
    insert into members (id, operator_id, email, role, joined_at)
    select ${newId('mem')}, ${PLATFORM_OPERATOR_ID}, ${config.platformOwnerEmail}, 'owner', clock_timestamp()
    where not exists (select from members where operator_id = ${PLATFORM_OPERATOR_ID} and role = 'owner')
    on conflict do nothing`);
}
