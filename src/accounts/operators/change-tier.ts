import type { Tier } from '../../fields/tiers.ts';
import { z } from 'zod';
import type { Unit } from '../../commands/run.ts';
import { sql } from '../../database/pool.ts';

/**
 * Gives an operator another tier, in the transaction of whoever decides it, which has locked the operator. Where it has another than
 * `from`, the platform gave that in between: it stays, unless it is a smaller one than `to`.
 */
export async function changeTier(
  unit: Unit,
  operatorId: string,
  { from, to }: { from: Tier; to: Tier },
): Promise<void> {
  await unit.connection.query(sql.type(z.object({}))`
    update operators o set tier = gets.name, updated_at = clock_timestamp()
    from tiers has, tiers gets
    where o.id = ${operatorId} and has.name = o.tier and gets.name = ${to} and (has.name = ${from} or has.rank < gets.rank)`);
  unit.changed(operatorId);
}
