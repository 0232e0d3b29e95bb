import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { block, inSeconds, publicJwk } from '../authority/support.ts';
import { eachWithinOneMonth } from '../billing/metering/counters.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../support/factories.ts';
import { assertProblem, assertStatus, database, platform } from '../support/service.ts';

const input = { text: 'hello' };

describe('POST /v1/skills/:id/invoke with a passport', () => {
  eachWithinOneMonth(); // agents have monthly limits
  let consumer: TestOperator;
  let provider: TestOperator;
  let skillId: string;
  let agentId: string;
  let passport: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 1_000 });
    skillId = (await buildSkill(provider, { price_per_invocation: 5 })).id;
    agentId = (await buildAgent(consumer)).id;
    passport = await issue(agentId);
  });

  const issue = async (agent: string, overrides: Record<string, unknown> = {}): Promise<string> =>
    assertStatus(await consumer.post<{ jti: string }>('/v1/passports/issue', { agent_id: agent, ...overrides }), 201)
      .jti;
  const invoke = (body: Record<string, unknown>, skill = skillId) =>
    consumer.post(`/v1/skills/${skill}/invoke`, { input, ...body });

  it('invokes for the agent of the passport', async () => {
    const { id } = await buildInvocation(consumer, skillId, { passport_id: passport });
    const shown = assertStatus(await consumer.get<Invocation>(`/v1/skills/invocations/${id}`), 200);
    assert.deepEqual([shown.passport_id, shown.agent_id], [passport, agentId]);
    const { body } = await consumer.get<{ claims: { subject: string }[] }>(
      `/v1/claims?agent_id=${agentId}&subject=carnet://invocation/${id}`,
    );
    assert.equal(body.claims.length, 1, 'what is claimed of it is about that agent');
  });

  it('takes agent_id beside it where it is the same agent, and refuses another', async () => {
    assertStatus(await invoke({ passport_id: passport, agent_id: agentId }), 201);
    const other = await buildAgent(consumer);
    assertProblem(await invoke({ passport_id: passport, agent_id: other.id }), 'VALIDATION_ERROR', 'passport_id');
  });

  it('is for the key of that agent, and not for another agent’s', async () => {
    const path = `/v1/skills/${skillId}/invoke`;
    const own = await buildAgentKey(consumer, agentId);
    const invocation = assertStatus(await own.post<Invocation>(path, { input, passport_id: passport }), 201);
    assert.deepEqual([invocation.passport_id, invocation.agent_id], [passport, agentId]);
    const other = await buildAgentKey(consumer, (await buildAgent(consumer)).id);
    assertProblem(await other.post(path, { input, passport_id: passport }), 'VALIDATION_ERROR', 'passport_id');
  });

  it('refuses an unknown passport as it refuses one of another operator', async () => {
    const words = async (jti: string) => {
      const reply = await provider.post(`/v1/skills/${skillId}/invoke`, { input, passport_id: jti });
      assertProblem(reply, 'VALIDATION_ERROR', 'passport_id');
      return [reply.body.detail, reply.body.errors];
    };
    assert.deepEqual(await words(passport), await words('psp_nothing'));
  });

  it('refuses a passport that was revoked, with the call that follows the revocation', async () => {
    const revoked = await issue(agentId);
    assertStatus(await invoke({ passport_id: revoked }), 201);
    assertStatus(await consumer.post('/v1/passports/revoke', { jti: revoked }), 200);
    assertProblem(await invoke({ passport_id: revoked }), 'PASSPORT_REVOKED');
  });

  it('refuses a passport that has expired', async () => {
    const expired = await issue(agentId);
    const query = sql.unsafe`update passports set expires_at = clock_timestamp() where jti = ${expired}`;
    await (await database()).query(query);
    assertProblem(await invoke({ passport_id: expired }), 'PASSPORT_EXPIRED');
  });

  it('refuses one whose authority binding is no longer active', async () => {
    const agent = await buildAgent(consumer, { public_jwk: publicJwk });
    const binding = assertStatus(
      await consumer.post<{ id: string }>('/v1/authority-bindings', {
        agent_id: agent.id,
        receiver_id: 'receiver',
        receiver_profile_version_id: 'v1',
        expires_at: inSeconds(3_600),
      }),
      201,
    );
    const bound = await issue(agent.id, { authority_binding_ids: [binding.id] });
    assertStatus(await invoke({ passport_id: bound }), 201);
    assertStatus(await consumer.post(`/v1/authority-bindings/${binding.id}/revoke`), 200);
    assertProblem(await invoke({ passport_id: bound }), 'AUTHORITY_BINDING_INVALID');
  });

  it('refuses the passport of an agent that was blocked', async () => {
    const blocked = await buildAgent(consumer);
    const held = await issue(blocked.id);
    await block(blocked.id);
    assertProblem(await invoke({ passport_id: held }), 'AGENT_BLOCKED');
  });

  it('counts against the monthly limit of its agent', async () => {
    const limited = await buildAgent(consumer, { monthly_limit_cents: 5 });
    const jti = await issue(limited.id);
    assertStatus(await invoke({ passport_id: jti }), 201);
    assertProblem(await invoke({ passport_id: jti }), 'AGENT_BUDGET_EXCEEDED');
  });

  it('has the trust of its agent', async () => {
    const trusted = await buildAgent(consumer);
    const claim = {
      agent_id: trusted.id,
      provider: 'eid',
      layer: 'agent',
      claim_type: 'vetted',
      assurance_level: 'L2',
    };
    assertStatus(await platform().post('/v1/identity-claims', claim), 201);
    const picky = await buildSkill(provider, { price_per_invocation: 0, trust_level_required: 'L2' });
    assertStatus(await invoke({ passport_id: await issue(trusted.id) }, picky.id), 201);
    assertProblem(await invoke({ passport_id: passport }, picky.id), 'TRUST_LEVEL_INSUFFICIENT');
  });

  it('is checked after the skill was found, before the state of the skill', async () => {
    const revoked = await issue(agentId);
    assertStatus(await consumer.post('/v1/passports/revoke', { jti: revoked }), 200);
    const off = await buildSkill(provider);
    assertStatus(await provider.post(`/v1/skills/${off.id}/suspend`), 200);
    assertProblem(await invoke({ passport_id: revoked }, off.id), 'PASSPORT_REVOKED');
    assertProblem(await invoke({ passport_id: passport }, off.id), 'SKILL_NOT_ACTIVE');
    assertProblem(await invoke({ passport_id: revoked }, 'skl_nothing'), 'NOT_FOUND');
  });
});
