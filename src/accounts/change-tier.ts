import { z } from 'zod';
import type { Unit } from '../commands.ts';
import { sql } from '../database/pool.ts';
import type { Tier } from './operator-schema.ts';

/**
 * Gives an operator another tier, in the transaction of whoever decides it, which has locked the operator.
 * @param change.from only where this is the tier it has, so that a tier which the platform gave in between stays; null: any.
 */
export async function changeTier(
  unit: Unit,
  operatorId: string,
  change: { from: Tier | null; to: Tier },
): Promise<void> {
  await unit.connection.query(sql.type(z.object({}))`
    update operators set tier = ${change.to}, updated_at = clock_timestamp()
    where id = ${operatorId} and tier = coalesce(${change.from}, tier)`);
  unit.changed(operatorId);
}
