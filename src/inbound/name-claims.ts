import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

/** Names the claims that were issued about an event in its row, in the transaction of what they state; the same one once. */
export async function nameClaims(
  connection: CommonQueryMethods,
  id: string,
  claimIds: readonly string[],
): Promise<void> {
  if (claimIds.length === 0) return;
  await connection.query(sql.type(z.object({}))`
    update inbound_events set claim_ids = claim_ids || array(
      select c.id from unnest(${textArray(claimIds)}) with ordinality as c (id, place) where c.id <> all(claim_ids) order by c.place)
    where id = ${id}`);
}
