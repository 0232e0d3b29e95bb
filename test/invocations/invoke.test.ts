import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { canonicalJson, sha256Hex } from '../../src/json/canonical.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { eachWithinOneMonth } from '../billing/metering/counters.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, platform } from '../support/service.ts';

const input = { text: 'hello' };

describe('POST /v1/skills/:id/invoke', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skill: { id: string };
  let path: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 1_000 });
    skill = await buildSkill(provider, { price_per_invocation: 25 });
    path = `/v1/skills/${skill.id}/invoke`;
  });
  after(async () => assertLedger(await database()));

  const balance = async (of: TestOperator) =>
    (await of.get<{ balance_cents: number; held_cents: number }>('/v1/billing/balance')).body;

  it('requires authentication', async () => {
    assertProblem(await anonymous().post(path, { input }), 'UNAUTHENTICATED');
  });

  it('answers 201 with the pending invocation and holds its price', async () => {
    const before = await balance(consumer);
    const reply = await consumer.post<Invocation>(path, { input });
    const invocation = assertStatus(reply, 201);
    assert.equal(reply.headers.get('location'), `/v1/skills/invocations/${invocation.id}`);
    assert.match(invocation.id, /^inv_[0-9A-Z]{26}$/);
    const { id: _id, created_at, expires_at, ...rest } = invocation;
    assert.deepEqual(rest, {
      skill_id: skill.id,
      skill_version: '1.0.0',
      skill_revision: 1,
      status: 'pending',
      execution_mode: 'open',
      input,
      input_hash: sha256Hex(canonicalJson(input)),
      output: null,
      output_hash: null,
      error: null,
      consumer_operator_id: consumer.operatorId,
      provider_operator_id: provider.operatorId,
      agent_id: null,
      passport_id: null,
      mission_id: null,
      price_cents: 25,
      compute_bound_cents: 0,
      compute_cents: 0,
      self_invocation: false,
      trial: false,
      attempt: 0,
      lease_seconds: null,
      lease_until: null,
      claimed_at: null,
      completed_at: null,
      contents_purged_at: null,
      duration_ms: null,
    });
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 86_400_000);
    const after = await balance(consumer);
    assert.equal(after.balance_cents, before.balance_cents - 25);
    assert.equal(after.held_cents, before.held_cents + 25);
  });

  it('keeps the members of the input in their order, and numbers as they are', async () => {
    const loose = await buildSkill(provider, { input_schema: { type: 'object' }, price_per_invocation: 0 });
    const body = '{"input":{"z":1E30,"a":[0.1,-0],"m":{"ä":"✓"}}}';
    const invocation = assertStatus(await consumer.post<Invocation>(`/v1/skills/${loose.id}/invoke`, body), 201);
    assert.deepEqual(Object.keys(invocation.input ?? {}), ['z', 'a', 'm']);
    const read = await provider.get<Invocation>(`/v1/skills/invocations/${invocation.id}`);
    assert.deepEqual(read.body.input, { z: 1e30, a: [0.1, 0], m: { ä: '✓' } });
  });

  it('takes ttl_seconds, with a fraction too', async () => {
    const buyer = await buildOperator({ cents: 25 }); // whose hold goes back while other tests look at their balances
    const { created_at, expires_at } = assertStatus(
      await buyer.post<Invocation>(path, { input, ttl_seconds: 90.5 }),
      201,
    );
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 90_500);
    assertProblem(await consumer.post(path, { input, ttl_seconds: 59 }), 'VALIDATION_ERROR', 'ttl_seconds');
    assertProblem(await consumer.post(path, { input, ttl_seconds: 604_801 }), 'VALIDATION_ERROR', 'ttl_seconds');
  });

  it('names what is wrong in the body', async () => {
    assertProblem(await consumer.post(path, {}), 'VALIDATION_ERROR', 'input');
    assertProblem(await consumer.post(path, { input: [] }), 'VALIDATION_ERROR', 'input');
    assertProblem(await consumer.post(path, { input, priority: 1 }), 'VALIDATION_ERROR', 'priority');
    assertProblem(await consumer.post(path, { input, max_price_cents: -1 }), 'VALIDATION_ERROR', 'max_price_cents');
  });

  it('refuses an input that does not fit the schema, naming the place', async () => {
    const missing = await consumer.post<{ detail: string; errors: { message: string }[] }>(path, { input: {} });
    assertProblem(missing, 'INPUT_SCHEMA_MISMATCH', 'input.text');
    assert.equal(
      missing.body.detail,
      `The input does not match the input schema of the skill. input.text: ${missing.body.errors[0]?.message}`,
    );
    assertProblem(await consumer.post(path, { input: { text: 1 } }), 'INPUT_SCHEMA_MISMATCH', 'input.text');
  });

  it('checks against the schema the skill has now, also right after a PATCH', async () => {
    const changing = await buildSkill(provider, { price_per_invocation: 0 });
    assertStatus(await consumer.post(`/v1/skills/${changing.id}/invoke`, { input }), 201);
    const numbers = {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    };
    assertStatus(await provider.patch(`/v1/skills/${changing.id}`, { version: '2.0.0', input_schema: numbers }), 200);
    assertProblem(
      await consumer.post(`/v1/skills/${changing.id}/invoke`, { input }),
      'INPUT_SCHEMA_MISMATCH',
      'input.n',
    );
    const invocation = assertStatus(
      await consumer.post<Invocation>(`/v1/skills/${changing.id}/invoke`, { input: { n: 1 } }),
      201,
    );
    assert.deepEqual([invocation.skill_version, invocation.skill_revision], ['2.0.0', 2]);
  });

  it('answers 404 for a skill that does not exist or that the caller may not see', async () => {
    assertProblem(await consumer.post('/v1/skills/skl_nothing/invoke', { input }), 'NOT_FOUND');
    const hidden = await buildSkill(provider, {
      execution_mode: 'sealed',
      execution_script: '1',
      execution_runtime: 'javascript',
    });
    assertProblem(await consumer.post(`/v1/skills/${hidden.id}/invoke`, { input }), 'NOT_FOUND');
  });

  it('answers 409 for a skill that is not active, regardless of the input', async () => {
    const off = await buildSkill(provider);
    assertStatus(await provider.post(`/v1/skills/${off.id}/suspend`), 200);
    assertProblem(await consumer.post(`/v1/skills/${off.id}/invoke`, { input: {} }), 'SKILL_NOT_ACTIVE');
    assertStatus(await provider.post(`/v1/skills/${off.id}/activate`), 200);
    assertStatus(await provider.post(`/v1/skills/${off.id}/unlist`), 200);
    assertStatus(await consumer.post(`/v1/skills/${off.id}/invoke`, { input }), 201);
  });

  it('answers 409 for the skills of a suspended operator, and for those that it had suspended itself once it is active again', async () => {
    const suspended = await buildOperator();
    const [its, off] = [await buildSkill(suspended), await buildSkill(suspended)];
    assertStatus(await suspended.post(`/v1/skills/${off.id}/suspend`), 200);
    const { id } = await buildInvocation(consumer, its.id);
    const set = (status: 'active' | 'suspended') =>
      platform().patch(`/v1/admin/operators/${suspended.operatorId}`, { status });
    assertStatus(await set('suspended'), 200);
    assertProblem(await consumer.post(`/v1/skills/${its.id}/invoke`, { input }), 'SKILL_NOT_ACTIVE');
    assertProblem(await suspended.post(`/v1/skills/invocations/${id}/claim`), 'OPERATOR_SUSPENDED');
    assertStatus(await set('active'), 200);
    assertStatus(await consumer.post(`/v1/skills/${its.id}/invoke`, { input }), 201);
    assertProblem(await consumer.post(`/v1/skills/${off.id}/invoke`, { input }), 'SKILL_NOT_ACTIVE');
    assertStatus(await suspended.post(`/v1/skills/invocations/${id}/claim`), 200);
  });

  it('answers 503 for a skill that asks a model which the service does not offer any more, and holds nothing', async () => {
    const sealed = await buildSkill(provider, {
      execution_mode: 'sealed',
      execution_steps: [{ type: 'llm', label: 'ask', llm_provider: 'openai', llm_model: 'tiny-1' }],
      price_per_invocation: 5,
    });
    assertStatus(await platform().post(`/v1/skills/${sealed.id}/approve`), 200);
    // As a model that the settings have named before.
    await (
      await database()
    ).query(sql.type(z.object({}))`
      update skill_code set execution_steps = replace(execution_steps, 'tiny-1', 'gone-1') where skill_id = ${sealed.id}`);
    const before = await balance(consumer);
    assertProblem(await consumer.post(`/v1/skills/${sealed.id}/invoke`, { input }), 'EXECUTION_UNAVAILABLE');
    assert.deepEqual(await balance(consumer), before);
  });

  it('answers 409 for a skill that asks a model by a key which is not there, and holds nothing', async () => {
    const keyed = await buildSkill(provider, {
      execution_mode: 'sealed',
      execution_steps: [{ type: 'llm', label: 'ask', llm_provider: 'openai', llm_model: 'tiny-1' }],
      credential_mode: 'buyer_provides',
      required_credentials: [{ provider: 'openai', scopes: [] }],
    });
    assertStatus(await platform().post(`/v1/skills/${keyed.id}/approve`), 200);
    const before = await balance(consumer);
    assertProblem(await consumer.post(`/v1/skills/${keyed.id}/invoke`, { input }), 'CREDENTIAL_REQUIRED');
    assert.deepEqual(await balance(consumer), before);
  });

  it('is free for the owner, as a test run', async () => {
    const invocation = assertStatus(await provider.post<Invocation>(path, { input }), 201);
    assert.equal(invocation.self_invocation, true);
    assert.equal(invocation.price_cents, 0);
  });

  it('answers 402 with what is needed, what is there and where to top up', async () => {
    const poor = await buildOperator({ cents: 24 });
    const reply = await poor.post(path, { input });
    assertProblem(reply, 'INSUFFICIENT_CREDITS');
    assert.equal(reply.body.required_cents, 25);
    assert.equal(reply.body.balance_cents, 24);
    assert.match(String(reply.body.top_up_url), /^https?:\/\/.+\/docs#\/billing\/createTopUp$/);
    assert.equal((await poor.get<{ invocations: [] }>('/v1/skills/invocations/mine')).body.invocations.length, 0);
  });

  it('refuses a price above max_price_cents', async () => {
    const reply = await consumer.post(path, { input, max_price_cents: 24 });
    assertProblem(reply, 'PRICE_CHANGED');
    assert.equal(reply.body.price_cents, 25);
    assertStatus(await consumer.post(path, { input, max_price_cents: 25 }), 201);
  });

  it('checks the trust level of the skill before the input', async () => {
    const trusted = await buildSkill(provider, { trust_level_required: 'L2' });
    const claimant = await buildOperator();
    const reply = await claimant.post(`/v1/skills/${trusted.id}/invoke`, { input: {} });
    assertProblem(reply, 'TRUST_LEVEL_INSUFFICIENT');
    assert.deepEqual([reply.body.required, reply.body.effective], ['L2', 'L0']);
    const claim = {
      operator_id: claimant.operatorId,
      provider: 'idp',
      layer: 'identity',
      claim_type: 'kyc',
      assurance_level: 'substantial',
    };
    assertStatus(await platform().post('/v1/identity-claims', claim), 201);
    assertStatus(await claimant.post(`/v1/skills/${trusted.id}/invoke`, { input }), 201);
  });

  it('counts a claim of the named agent, for that agent alone', async () => {
    const trusted = await buildSkill(provider, { trust_level_required: 'L1' });
    const claimant = await buildOperator();
    const [known, other] = [await buildAgent(claimant), await buildAgent(claimant)];
    const claim = { agent_id: known.id, provider: 'idp', layer: 'identity', claim_type: 'kya', assurance_level: 'low' };
    assertStatus(await platform().post('/v1/identity-claims', claim), 201);
    assertProblem(
      await claimant.post(`/v1/skills/${trusted.id}/invoke`, { input, agent_id: other.id }),
      'TRUST_LEVEL_INSUFFICIENT',
    );
    const invocation = assertStatus(
      await claimant.post<Invocation>(`/v1/skills/${trusted.id}/invoke`, { input, agent_id: known.id }),
      201,
    );
    assert.equal(invocation.agent_id, known.id);
  });

  it('takes agents of the caller alone', async () => {
    const foreign = await buildAgent(provider);
    assertProblem(await consumer.post(path, { input, agent_id: foreign.id }), 'VALIDATION_ERROR', 'agent_id');
    assertProblem(await consumer.post(path, { input, agent_id: 'ag_nothing' }), 'VALIDATION_ERROR', 'agent_id');
    const retired = await buildAgent(consumer);
    assertStatus(await consumer.patch(`/v1/agents/${retired.id}`, { status: 'disabled' }), 200);
    assertProblem(await consumer.post(path, { input, agent_id: retired.id }), 'VALIDATION_ERROR', 'agent_id');
  });

  it('invokes for its own agent with an agent key, and for no other', async () => {
    const [own, other] = [await buildAgent(consumer), await buildAgent(consumer)];
    const key = await buildAgentKey(consumer, own.id);
    assert.equal(assertStatus(await key.post<Invocation>(path, { input }), 201).agent_id, own.id);
    assertProblem(await key.post(path, { input, agent_id: other.id }), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  describe('with a monthly limit', () => {
    eachWithinOneMonth();

    it('holds no more for an agent than its limit, and takes released holds back out', async () => {
      const agent = await buildAgent(consumer, { monthly_limit_cents: 60 });
      const key = await buildAgentKey(consumer, agent.id);
      const first = assertStatus(await key.post<Invocation>(path, { input }), 201);
      assertStatus(await consumer.post(path, { input, agent_id: agent.id }), 201);
      const reply = await key.post(path, { input });
      assertProblem(reply, 'AGENT_BUDGET_EXCEEDED');
      assert.deepEqual([reply.body.limit, reply.body.used], [60, 50]);
      assertStatus(await key.post(`/v1/skills/invocations/${first.id}/cancel`), 200);
      assertStatus(await key.post(path, { input }), 201);
    });

    it('holds no more with a key than its limit, no matter what its agent may', async () => {
      const agent = await buildAgent(consumer);
      const key = await buildAgentKey(consumer, agent.id, { monthly_limit_cents: 25 });
      assertStatus(await key.post(path, { input }), 201);
      assertProblem(await key.post(path, { input }), 'AGENT_BUDGET_EXCEEDED');
      assertStatus(await (await buildAgentKey(consumer, agent.id)).post(path, { input }), 201);
    });

    it('is checked before the balance', async () => {
      const poor = await buildOperator();
      const agent = await buildAgent(poor, { monthly_limit_cents: 1 });
      assertProblem(await poor.post(path, { input, agent_id: agent.id }), 'AGENT_BUDGET_EXCEEDED');
    });
  });

  it('leaves one audit row, of the caller', async () => {
    const { id } = assertStatus(await consumer.post<Invocation>(path, { input }, { 'x-request-id': 'audited-1' }), 201);
    const rows = await (
      await database()
    ).any(sql.type(z.object({ operator_id: z.string(), action: z.string(), request_id: z.string() }))`
      select operator_id, action, request_id from audit_events where target = ${id} and action = 'invocation.created'`);
    assert.deepEqual(rows, [
      { operator_id: consumer.operatorId, action: 'invocation.created', request_id: 'audited-1' },
    ]);
  });
});
