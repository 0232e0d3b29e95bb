import { sql } from '../../src/database/pool.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, requester } from '../support/service.ts';
import type { World } from './worlds.ts';

/** An operator of a world, made over HTTP. */
export async function operatorAt(world: World, baseUrl: string): Promise<{ operatorId: string; key: string }> {
  const name = unique('operator');
  const made = assertStatus(
    await requester(world.context.config.platformAdminKey, baseUrl).post<{ operator: { id: string }; api_key: string }>('/v1/operators', {
      name,
      email: `${name}@example.test`,
    }),
    201,
  );
  return { operatorId: made.operator.id, key: made.api_key };
}

/** Keys that a caller who died held for a while are free at once. */
export async function freeKeys({ context: { pool } }: World): Promise<void> {
  await pool.query(sql.unsafe`update idempotency_keys set reserved_until = null where status is null`);
}
