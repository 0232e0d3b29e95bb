import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { credit as creditWallet, debit as debitWallet } from '../billing/ledger/ledger-world.ts';
import type { CommonQueryMethods } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { assertStatus, database, platform, requester, service, type Requester } from './service.ts';

/** A name that nothing else in the suite has. */
export const unique = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`;

/** A running service, and the key of its platform. */
export interface Place {
  baseUrl: string;
  adminKey: string;
}

const suite = (): Place => ({ baseUrl: service().baseUrl, adminKey: service().credentials.admin_api_key });

export interface TestOperator extends Requester {
  operatorId: string;
  name: string;
  email: string;
}

/** A new operator with an admin key; of the suite's service by default, and there with cents in its wallet where given. */
export async function buildOperator(
  overrides: { name?: string; email?: string; cents?: number; tier?: string } = {},
  { baseUrl, adminKey }: Place = suite(),
): Promise<TestOperator> {
  const admin = requester(adminKey, baseUrl);
  const name = overrides.name ?? unique('operator');
  const email = overrides.email ?? `${name}@example.test`;
  const made = assertStatus(
    await admin.post<{ operator: { id: string }; api_key: string }>('/v1/operators', { name, email }),
    201,
  );
  const operatorId = made.operator.id;
  if (overrides.tier !== undefined)
    assertStatus(await admin.patch(`/v1/admin/operators/${operatorId}`, { tier: overrides.tier }), 200);
  if (overrides.cents !== undefined && overrides.cents > 0) await credit(operatorId, overrides.cents);
  return { ...requester(made.api_key, baseUrl), operatorId, name, email };
}

/**
 * Puts cents into a wallet, or takes them out, as an adjustment of the platform does once a person has approved it; in
 * the suite's database by default.
 */
export async function credit(operatorId: string, cents: number, db?: CommonQueryMethods): Promise<void> {
  const move = cents > 0 ? creditWallet : debitWallet;
  const moved = await move(db ?? (await database()), operatorId, { cents: Math.abs(cents), cause: newId('txn') });
  assert(moved !== null, `the wallet of ${operatorId} does not cover ${-cents} cents`);
}

/** Suspends an operator by the platform: its keys are refused from here on. */
export async function suspend(operatorId: string): Promise<void> {
  assertStatus(await platform().patch(`/v1/admin/operators/${operatorId}`, { status: 'suspended' }), 200);
}

export async function buildMemberKey(owner: Requester): Promise<Requester> {
  const made = assertStatus(
    await owner.post<{ key: string }>('/v1/api-keys', { name: unique('member'), kind: 'operator', role: 'member' }),
    201,
  );
  return requester(made.key);
}

export async function buildAgent(owner: Requester, overrides: Record<string, unknown> = {}): Promise<{ id: string }> {
  return assertStatus(await owner.post<{ id: string }>('/v1/agents', { name: unique('agent'), ...overrides }), 201);
}

export async function buildAgentKey(
  owner: Requester,
  agentId: string,
  overrides: Record<string, unknown> = {},
): Promise<Requester> {
  const made = assertStatus(
    await owner.post<{ key: string }>('/v1/api-keys', {
      name: unique('agent-key'),
      kind: 'agent',
      agent_id: agentId,
      ...overrides,
    }),
    201,
  );
  return requester(made.key);
}

/** The key of a partner, and the grant that it is of. */
export async function buildPartner(
  owner: Requester,
  overrides: Record<string, unknown> = {},
): Promise<Requester & { grantId: string; keyId: string }> {
  const made = await owner.post<{ id: string; api_key: string; api_key_id: string }>('/v1/partner-grants', {
    name: unique('partner'),
    providers: ['generic'],
    ...overrides,
  });
  const { id: grantId, api_key: key, api_key_id: keyId } = assertStatus(made, 201);
  return { ...requester(key), grantId, keyId };
}

export const echoSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;

/** The smallest body that can be published: an open skill with `{text}` in and out. */
export const publication = (overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: unique('skill'),
  description: 'Echoes a text',
  version: '1.0.0',
  input_schema: echoSchema,
  output_schema: echoSchema,
  trust_level_required: 'L0',
  ...overrides,
});

/** An open skill with `{text}` in and out; active immediately. */
export async function buildSkill(
  owner: Requester,
  overrides: Record<string, unknown> = {},
): Promise<{ id: string; name: string; price_per_invocation: number }> {
  return assertStatus(
    await owner.post<{ id: string; name: string; price_per_invocation: number }>('/v1/skills', publication(overrides)),
    201,
  );
}

export interface TestInvocation {
  id: string;
  status: string;
  attempt: number;
}

/** An invocation of `{text: 'hello'}`, pending. */
export async function buildInvocation(
  consumer: Requester,
  skillId: string,
  overrides: Record<string, unknown> = {},
): Promise<TestInvocation> {
  return assertStatus(
    await consumer.post<TestInvocation>(`/v1/skills/${skillId}/invoke`, { input: { text: 'hello' }, ...overrides }),
    201,
  );
}
