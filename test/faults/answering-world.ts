import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/factories.ts';
import type { Role } from '../support/role.ts';
import { assertProblem, assertStatus, requester, type Reply } from '../support/service.ts';
import type { World } from './worlds.ts';

/** An operator of a world, created over HTTP. */
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

/** Frees immediately the keys that a process that died has reserved. */
export async function freeKeys({ context: { pool } }: World): Promise<void> {
  await pool.query(sql.unsafe`update idempotency_keys set reserved_until = null where status is null`);
}

/**
 * Calls until the process dies at its fault point: on a busy machine it may answer 503 before, and continues with the
 * next call.
 */
export async function callUntilKilled(dying: Role, call: () => Promise<Reply>): Promise<void> {
  const died = async (): Promise<boolean> => {
    try {
      assertProblem(await call(), 'TEMPORARILY_UNAVAILABLE');
      return false;
    } catch (error) {
      assert(!(error instanceof assert.AssertionError), error as Error); // nobody is left to speak with
      return true;
    }
  };
  await eventually('a process to die at its fault point', died, { seconds: 120 });
  assert.equal(await dying.ended, 'SIGKILL');
}
