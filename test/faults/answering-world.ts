import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/factories.ts';
import type { Role } from '../support/role.ts';
import { assertProblem, assertStatus, requester, type Reply } from '../support/service.ts';
import type { World } from './worlds.ts';

/** An operator of a world, made over HTTP. */
export async function operatorAt(world: World, baseUrl: string): Promise<{ operatorId: string; key: string }> {
  const name = unique('operator');
  const made = assertStatus(
    await requester(world.context.config.platformAdminKey, baseUrl).post<{ operator: { id: string }; api_key: string }>(
      '/v1/operators',
      {
        name,
        email: `${name}@example.test`,
      },
    ),
    201,
  );
  return { operatorId: made.operator.id, key: made.api_key };
}

/** Keys that a caller who died held for a while are free at once. */
export async function freeKeys({ context: { pool } }: World): Promise<void> {
  await pool.query(sql.unsafe`update idempotency_keys set reserved_until = null where status is null`);
}

/** Calls until the process dies of it: on a busy machine it may say 503 before it comes to its point, and goes on where it was. */
export async function callUntilKilled(dying: Role, call: () => Promise<Reply>): Promise<void> {
  const died = async (): Promise<boolean> => {
    try {
      assertProblem(await call(), 'TEMPORARILY_UNAVAILABLE');
      return false;
    } catch (error) {
      assert(error instanceof TypeError, error as Error); // fetch has nobody left to speak with
      return true;
    }
  };
  await eventually('a process to die of what it is asked', died, { seconds: 120 });
  assert.equal(await dying.ended, 'SIGKILL');
}
