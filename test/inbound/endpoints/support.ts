import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { CreatedEndpoint, Endpoint } from '../../../src/inbound/endpoints/schema.ts';
import { buildAgent } from '../../support/factories.ts';
import { assertStatus, database, type Requester } from '../../support/service.ts';

export const ENDPOINTS = '/v1/operator/inbound-webhooks';

/** An endpoint of a provider `generic` for a new agent; without a forward_url unless one is given. */
export async function buildEndpoint(by: Requester, overrides: Record<string, unknown> = {}): Promise<CreatedEndpoint> {
  const agent_id = overrides['agent_id'] ?? (await buildAgent(by)).id;
  return assertStatus(await by.post<CreatedEndpoint>(ENDPOINTS, { provider: 'generic', ...overrides, agent_id }), 201);
}

export const shownEndpoint = async (by: Requester, id: string): Promise<Endpoint> =>
  assertStatus(await by.get<Endpoint>(`${ENDPOINTS}/${id}`), 200);

const AuditRow = z.object({ action: z.string(), actor: z.string(), detail: z.unknown() });

/** What the audit trail has about an endpoint, in its order. */
export async function auditOf(id: string): Promise<readonly z.infer<typeof AuditRow>[]> {
  const pool = await database();
  return await pool.any(
    sql.type(AuditRow)`select action, actor, detail from audit_events where target = ${id} order by id`,
  );
}
