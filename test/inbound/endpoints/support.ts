import { randomBytes } from 'node:crypto';
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

/** A signing key as Mailgun makes one: 32 hex digits. */
export const mailgunKey = (): string => randomBytes(16).toString('hex');

/** A secret as Svix makes one: base64 of 24 bytes. */
export const svixSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

/** Secrets that no endpoint takes as the secret of its provider. */
export const REFUSED_SECRETS: readonly [what: string, secret: unknown][] = [
  ['15 characters', 'x'.repeat(15)],
  ['201 characters', 'x'.repeat(201)],
  ['a blank', `${'x'.repeat(16)} x`],
  ['a line break at its end', `${'x'.repeat(16)}\n`],
  ['a letter beyond ASCII', `${'x'.repeat(16)}é`],
  ['a control character', `${'x'.repeat(16)}\x7f`],
  ['a number', 1_234_567_890_123_456],
  ['null', null],
  ['15 bytes behind whsec_', `whsec_${Buffer.alloc(15, 7).toString('base64')}`],
  ['no base64 behind whsec_', `whsec_${'!'.repeat(24)}`],
  ['base64 without its padding behind whsec_', `whsec_${Buffer.alloc(16, 7).toString('base64').replace(/=+$/, '')}`],
  ['base64url behind whsec_', `whsec_${Buffer.alloc(24, 255).toString('base64url')}`],
];

export const shownEndpoint = async (by: Requester, id: string): Promise<Endpoint> =>
  assertStatus(await by.get<Endpoint>(`${ENDPOINTS}/${id}`), 200);

const AuditRow = z.object({ action: z.string(), actor: z.string(), detail: z.unknown() });

/** Lists what the audit trail has about an endpoint, in its order. */
export async function auditOf(id: string): Promise<readonly z.infer<typeof AuditRow>[]> {
  const pool = await database();
  return await pool.any(
    sql.type(AuditRow)`select action, actor, detail from audit_events where target = ${id} order by id`,
  );
}
