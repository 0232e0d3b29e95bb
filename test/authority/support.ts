import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, database, type Reply, type Requester } from '../support/service.ts';
import type { ServiceConnection } from '../../src/authority/connections/schema.ts';

export const publicJwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
/** Another one; the second test vector of RFC 8032 §7.1. */
export const otherJwk = { kty: 'OKP', crv: 'Ed25519', x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw' };

/** Blocks an agent, as a review that ends with `block_future` does. */
export const block = async (agentId: string): Promise<void> => {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`update agents set status = 'blocked' where id = ${agentId}`);
};

/** A connected service with the scopes read, write and admin. */
export const buildConnection = async (
  owner: Requester,
  overrides: Record<string, unknown> = {},
): Promise<ServiceConnection> =>
  assertStatus(
    await owner.post<ServiceConnection>('/v1/service-connections', {
      service_id: 'github',
      service_name: unique('service'),
      scopes: ['read', 'write', 'admin'],
      ...overrides,
    }),
    201,
  );

/** Sets the whole grant; all scopes unless the body names some. */
export const grant = async (
  owner: Requester,
  { agentId, connectionId }: { agentId: string; connectionId: string },
  overrides: Record<string, unknown> = {},
): Promise<void> => {
  const path = `/v1/agents/${agentId}/grants/${connectionId}`;
  assertStatus(await owner.put(path, { scopes: ['*'], ...overrides }), 200);
};

/** The mission or the authority binding that a POST created. */
export const made = async (call: Promise<Reply>): Promise<{ id: string; claim_id: string }> => {
  const { id, claim_id: claimId } = assertStatus(await call, 201);
  return { id: String(id), claim_id: String(claimId) };
};

/** An instant this many seconds from now. */
export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
