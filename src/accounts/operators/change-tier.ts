import type { Tier } from '../../fields/tiers.ts';
import { z } from 'zod';
import type { Unit } from '../../commands/unit.ts';
import { sql } from '../../database/pool.ts';

/**
 * Changes the tier of an operator in the transaction of the caller, which has locked the operator. A tier other than
 * `from` was set by the platform meanwhile: it stays, unless it is smaller than `to`.
 */
export async function changeTier(
  unit: Unit,
  operatorId: string,
  { from, to }: { from: Tier; to: Tier },
): Promise<void> {
  await unit.connection.query(sql.type(z.object({}))`
    update operators o set tier = wanted.name, updated_at = clock_timestamp()
    from tiers has, tiers wanted
    where o.id = ${operatorId} and has.name = o.tier and wanted.name = ${to}
      and (has.name = ${from} or has.rank < wanted.rank)`);
  unit.changed(operatorId);
}
