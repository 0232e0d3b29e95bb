import { z } from 'zod';
import { sql, type DatabasePool } from '../database/pool.ts';

/** Deleted in one statement, with the deliveries of each. */
const FORGOTTEN_AT_ONCE = 1_000;

/**
 * Deletes events that are older than 30 days, and what hangs on them.
 * @returns whether there may be more.
 */
export async function forgetOldEvents(pool: DatabasePool): Promise<boolean> {
  const { rowCount } = await pool.query(sql.type(z.object({}))`
    delete from service_events where seq = any(array(
      select seq from service_events where created_at < now() - interval '30 days'
      order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))`);
  return rowCount === FORGOTTEN_AT_ONCE;
}
