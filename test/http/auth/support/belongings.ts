import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { buildConnection, grant, inSeconds, made, publicJwk } from '../../../authority/support.ts';
import { run } from '../../../billing/ledger/ledger-world.ts';
import { buildTopUp, refundOf } from '../../../billing/payments/support.ts';
import { intent, submitAndPlace } from '../../../claims/support.ts';
import { insertWebhook } from '../../../notifications/support/operators.ts';
import {
  buildAgent,
  buildInvocation,
  buildOperator,
  buildPartner,
  buildSkill,
  unique,
  type TestOperator,
} from '../../../support/factories.ts';
import { signIn } from '../../../support/people.ts';
import { assertStatus, database, platform, requester, type Requester } from '../../../support/service.ts';

/** The things that an operator can have, one real thing of each kind, by its id. */
export interface Belongings {
  operator: string;
  key: string;
  member: string;
  /** The session of the owner. */
  dashboardSession: string;
  /** Known by its provider, which is one of no settings. */
  credential: string;
  agent: string;
  connection: string;
  mission: string;
  binding: string;
  identityClaim: string;
  /** Nobody else sees it: it waits for approval. */
  skill: string;
  request: string;
  invocation: string;
  /** A claim of type intent_claim, of the agent. */
  claim: string;
  passport: string;
  session: string;
  checkout: string;
  approval: string;
  /** A webhook. */
  destination: string;
  /** The credit of a top-up, refunded by `refund`. */
  topUp: string;
  transaction: string;
  refund: string;
  /** A rule of notifications, for the webhook. */
  rule: string;
  /** Which was delivered to the destination, by `delivery`. */
  event: string;
  delivery: string;
  partnerGrant: string;
  endpoint: string;
  /** Which came to the endpoint, and is recorded. */
  inboundEvent: string;
}
export type Kind = keyof Belongings;

export interface Owner {
  as: TestOperator;
  has: Belongings;
  /** The passport itself. */
  token: string;
  /** A skill that everybody may see and invoke. */
  activeSkill: string;
}

const report = { services_used: [], actions_count: 1 };

/** An operator with everything, made over HTTP as its owner would. @param baseUrl of the process to ask */
export async function openOwner(baseUrl: string): Promise<Owner> {
  const operator = await buildOperator({ tier: 'pro', cents: 1_000 });
  const as: TestOperator = { ...operator, ...requester(operator.key, baseUrl) };
  const agent = await buildAgent(as, {
    accountability: 'enforced',
    public_jwk: publicJwk,
    checkpoint_interval_seconds: 3_600,
  });
  const connection = await buildConnection(as);
  await grant(as, { agentId: agent.id, connectionId: connection.id });
  const { token, jti } = await issued(as, agent.id);
  const shown = assertStatus(await as.get<{ session_id: string }>(`/v1/passports/${jti}`), 200);
  const skill = { name: unique('script'), execution_mode: 'source', ...steps };
  const active = await buildSkill(as, { name: unique('skill') });
  const claim = await submitAndPlace(as, { claim_type: 'intent_claim', payload: intent({ agent_id: agent.id }) });
  const identity = { operator_id: operator.operatorId, provider: 'eid', layer: 'person' };
  const bound = { agent_id: agent.id, receiver_id: 'bank.example', receiver_profile_version_id: 'v1' };
  const destination = await insertWebhook(operator.operatorId);
  const owner = await signIn(operator.email);
  const endpoint = await idOf(as, '/v1/operator/inbound-webhooks', { provider: 'generic', agent_id: agent.id });
  const has: Belongings = {
    operator: operator.operatorId,
    key: await idOf(as, '/v1/api-keys', { name: unique('key'), kind: 'operator' }),
    member: await idOf(as, '/v1/members', { email: `${unique('member')}@example.test`, role: 'member' }),
    dashboardSession: assertStatus(await owner.get<{ id: string }>('/v1/dashboard/sessions/current'), 200).id,
    credential: await credentialOf(operator.operatorId),
    agent: agent.id,
    connection: connection.id,
    mission: await idOf(as, '/v1/missions', { declared_intent: 'Sort the issues' }),
    binding: (await made(as.post('/v1/authority-bindings', { ...bound, expires_at: inSeconds(3_600) }))).id,
    identityClaim: await idOf(platform(), '/v1/identity-claims', {
      ...identity,
      claim_type: 'name',
      assurance_level: 'L1',
    }),
    skill: (await buildSkill(as, skill)).id,
    request: await idOf(as, '/v1/skill-requests', { description: 'A text in reverse' }),
    invocation: (await buildInvocation(as, active.id)).id,
    claim: claim.id,
    passport: jti,
    session: shown.session_id,
    checkout: await checkedOut(as, agent.id),
    approval: await approvalFor(as, agent.id),
    ...(await refunded(as)),
    destination,
    rule: await idOf(owner, '/v1/notifications/channels', { destination_ids: [destination] }),
    ...(await notified(operator.operatorId, destination)),
    partnerGrant: (await buildPartner(as)).grantId,
    endpoint,
    inboundEvent: await inboundEvent(endpoint),
  };
  return { as, has, token, activeSkill: active.id };
}

const steps = { execution_steps: [{ type: 'script', label: 'echo', runtime: 'javascript', script: 'return input;' }] };

async function refunded(as: TestOperator): Promise<Pick<Belongings, 'topUp' | 'transaction' | 'refund'>> {
  const { id: topUp, transactionId: transaction } = await buildTopUp(as);
  const { refund_id: refund, status } = await refundOf(as, transaction); // to its end: from here on it stays as it is
  assert.equal(status, 'succeeded');
  return { topUp, transaction, refund };
}

/** By SQL, so that it stays as it is: nothing is sent. */
async function notified(operatorId: string, destination: string): Promise<Pick<Belongings, 'event' | 'delivery'>> {
  const delivery = newId('dlv');
  const pool = await database();
  const event = await pool.oneFirst(sql.type(z.object({ id: z.string() }))`
    select record_service_event(${operatorId}, 'notification.test', 'info', '{}') as id`);
  await run(
    pool,
    sql.fragment`
    insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type, status, ended_at)
    values (${delivery}, ${operatorId}, ${event}, ${destination}, 'webhook', 'notification.test', 'delivered', now())`,
  );
  return { event, delivery };
}

/** By SQL, as of a provider that the settings have lost. @returns the provider */
async function credentialOf(operatorId: string): Promise<string> {
  const provider = unique('provider');
  await run(
    await database(),
    sql.fragment`
    insert into model_credentials (operator_id, provider, secret, last_four) values (${operatorId}, ${provider}, 'sealed', '1111')`,
  );
  return provider;
}

/** By SQL, so that it stays as it is: nothing is scanned. */
async function inboundEvent(endpoint: string): Promise<string> {
  const id = newId('iev');
  await run(
    await database(),
    sql.fragment`
    insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
      size, status, ended_at)
    select ${id}, id, operator_id, agent_id, provider, sha256(${id}::bytea), 'body', sha256(${id}::bytea), 'hex', true, 2, 'recorded', now()
    from inbound_endpoints where id = ${endpoint}`,
  );
  return id;
}

async function idOf(as: Requester, path: string, body: unknown): Promise<string> {
  return assertStatus(await as.post<{ id: string }>(path, body), 201).id;
}

/** A passport of this agent with all its scopes, of an hour. */
export async function issued(as: Requester, agentId: string): Promise<{ token: string; jti: string }> {
  const body = { agent_id: agentId, ttl_seconds: 3_600 };
  return assertStatus(await as.post<{ token: string; jti: string }>('/v1/passports/issue', body), 201);
}

async function checkedOut(as: Requester, agentId: string): Promise<string> {
  const { jti } = await issued(as, agentId);
  const out = await as.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report);
  return assertStatus(out, 201).checkout.id;
}

/** Weakening the accountability of an agent needs a person, so a key gets 403 with the id of an approval. */
async function approvalFor(as: Requester, agentId: string): Promise<string> {
  const refused = await as.patch<{ approval_id: string }>(`/v1/agents/${agentId}`, { accountability: 'logged' });
  assert.equal(refused.status, 403, refused.text);
  return refused.body.approval_id;
}
