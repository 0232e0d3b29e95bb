import assert from 'node:assert/strict';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';
import { block, publicJwk } from '../../authority/support.ts';

/** Both POST and PATCH refuse these. */
const faults: [fault: string, body: Record<string, unknown>, path: string][] = [
  ['an empty name', { name: '' }, 'name'],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, 'name'],
  ['an unknown accountability', { name: 'a', accountability: 'strict' }, 'accountability'],
  [
    'a checkpoint interval below 60 seconds',
    { name: 'a', checkpoint_interval_seconds: 59.9 },
    'checkpoint_interval_seconds',
  ],
  [
    'a checkpoint interval above an hour',
    { name: 'a', checkpoint_interval_seconds: 3_601 },
    'checkpoint_interval_seconds',
  ],
  ['a negative budget', { name: 'a', monthly_limit_cents: -1 }, 'monthly_limit_cents'],
  ['a budget in fractions of a cent', { name: 'a', monthly_limit_cents: 0.5 }, 'monthly_limit_cents'],
  ['a private key', { name: 'a', public_jwk: { ...publicJwk, d: publicJwk.x } }, 'public_jwk.d'],
  ['a key of another curve', { name: 'a', public_jwk: { ...publicJwk, crv: 'X25519' } }, 'public_jwk.crv'],
  ['a key of small order', { name: 'a', public_jwk: { ...publicJwk, x: 'A'.repeat(43) } }, 'public_jwk.x'],
  ['an unknown property', { name: 'a', operator_id: 'op_x' }, 'operator_id'],
];

describe('POST /v1/agents', () => {
  let operator: TestOperator;

  before(async () => {
    operator = await buildOperator();
  });

  it('makes an active standard agent from a name alone', async () => {
    const reply = await operator.post<Agent>('/v1/agents', { name: 'researcher' });
    const { id, created_at: createdAt, updated_at: updatedAt, ...agent } = assertStatus(reply, 201);
    assert.match(id, /^ag_[0-9A-Z]{26}$/);
    assert.equal(createdAt, updatedAt);
    assert.equal(reply.headers.get('location'), `/v1/agents/${id}`);
    assert.deepEqual(agent, {
      operator_id: operator.operatorId,
      name: 'researcher',
      accountability: 'standard',
      held_to: {
        accountability: 'standard',
        accountability_from: id,
        checkpoint_interval_seconds: null,
        checkpoint_interval_from: null,
      },
      public_jwk: null,
      checkpoint_interval_seconds: null,
      monthly_limit_cents: null,
      status: 'active',
      retired_at: null,
      partner_grant_id: null,
    });
  });

  it('keeps accountability, key, interval and budget as given', async () => {
    const given = {
      name: 'careful',
      accountability: 'enforced',
      public_jwk: publicJwk,
      checkpoint_interval_seconds: 90.5,
      monthly_limit_cents: 0,
    };
    const made = assertStatus(await operator.post<Agent>('/v1/agents', given), 201);
    assert.deepEqual({ ...made, ...given }, made);
    assert.deepEqual(assertStatus(await operator.get(`/v1/agents/${made.id}`), 200), made);
  });

  it('makes one agent for one Idempotency-Key', async () => {
    const [name, headers] = [unique('agent'), { 'idempotency-key': unique('key') }];
    const first = assertStatus(await operator.post('/v1/agents', { name }, headers), 201);
    assert.deepEqual(assertStatus(await operator.post('/v1/agents', { name }, headers), 201), first);
    assertProblem(await operator.post('/v1/agents', { name: 'other' }, headers), 'IDEMPOTENCY_KEY_REUSED');
  });

  for (const [fault, body, path] of [...faults, ['no name', {}, 'name'] as const]) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.post('/v1/agents', body), 'VALIDATION_ERROR', path);
    });
  }
});

describe('GET /v1/agents', () => {
  it("lists the operator's own, newest first, page by page", async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    await buildAgent(other);
    for (const name of ['one', 'two', 'three']) await buildAgent(operator, { name });
    const first = await operator.get<{ agents: Agent[]; total: number }>('/v1/agents?limit=2');
    assert.deepEqual(
      assertStatus(first, 200).agents.map(({ name }) => name),
      ['three', 'two'],
    );
    assert.equal(first.body.total, 3);
    assert.match(first.headers.get('link') ?? '', /offset=2[^,]*>; rel="next"/);
    const second = assertStatus(await operator.get<{ agents: Agent[] }>('/v1/agents?limit=2&offset=2'), 200);
    assert.deepEqual(
      second.agents.map(({ name }) => name),
      ['one'],
    );
  });
});

describe('GET /v1/agents/:id', () => {
  it("is 404 for another operator's agent, with the same words as for an unknown one", async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const foreign = await operator.get(`/v1/agents/${(await buildAgent(other)).id}`);
    assertProblem(foreign, 'NOT_FOUND');
    const unknown = await operator.get('/v1/agents/ag_unknown');
    assertProblem(unknown, 'NOT_FOUND');
    assert.equal(foreign.body.detail, unknown.body.detail);
  });
});

describe('PATCH /v1/agents/:id', () => {
  let operator: TestOperator;
  let agent: { id: string };

  beforeEach(async () => {
    operator = await buildOperator();
    agent = await buildAgent(operator, {
      name: 'before',
      monthly_limit_cents: 5,
      public_jwk: publicJwk,
      checkpoint_interval_seconds: 60,
    });
  });

  it('changes the fields that are sent and leaves the rest', async () => {
    const made = assertStatus(await operator.get<Agent>(`/v1/agents/${agent.id}`), 200);
    const changed = assertStatus(
      await operator.patch<Agent>(`/v1/agents/${agent.id}`, { name: 'after', accountability: 'logged' }),
      200,
    );
    const held_to = { ...made.held_to, accountability: 'logged' };
    assert.deepEqual(changed, {
      ...made,
      name: 'after',
      accountability: 'logged',
      held_to,
      updated_at: changed.updated_at,
    });
    assert(changed.updated_at > made.updated_at);
    assert.deepEqual(assertStatus(await operator.get(`/v1/agents/${agent.id}`), 200), changed);
  });

  it('clears key, interval and budget by null', async () => {
    const cleared = { public_jwk: null, checkpoint_interval_seconds: null, monthly_limit_cents: null };
    const changed = assertStatus(await operator.patch<Agent>(`/v1/agents/${agent.id}`, cleared), 200);
    assert.deepEqual({ ...changed, ...cleared }, changed);
  });

  for (const [fault, body, path] of [...faults, ['the status blocked', { status: 'blocked' }, 'status'] as const]) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.patch(`/v1/agents/${agent.id}`, body), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses a body that changes nothing', async () => {
    assertProblem(await operator.patch(`/v1/agents/${agent.id}`, {}), 'VALIDATION_ERROR');
  });

  it('reports one fault for a body with one unknown property', async () => {
    const refused = await operator.patch<{ errors: unknown[] }>(`/v1/agents/${agent.id}`, { nmae: 'x' });
    assertProblem(refused, 'VALIDATION_ERROR', 'nmae');
    assert.equal(refused.body.errors.length, 1);
  });

  it('is 404 for another operator, and changes nothing', async () => {
    const other = await buildOperator();
    assertProblem(await other.patch(`/v1/agents/${agent.id}`, { name: 'stolen' }), 'NOT_FOUND');
    assert.equal(assertStatus(await operator.get<Agent>(`/v1/agents/${agent.id}`), 200).name, 'before');
  });

  it("raises accountability immediately; lowering it by a key needs a person's approval", async () => {
    const path = `/v1/agents/${agent.id}`;
    const weaker = { standard: [], logged: ['standard'], enforced: ['logged', 'standard'] };
    for (const [level, refused] of Object.entries(weaker)) {
      assertStatus(await operator.patch(path, { accountability: level, name: level }), 200);
      for (const accountability of refused) {
        assertProblem(await operator.patch(path, { accountability, name: 'weaker' }), 'GOVERNANCE_APPROVAL_REQUIRED');
      }
      assertStatus(await operator.patch(path, { accountability: level }), 200);
      const agentNow = assertStatus(await operator.get<Agent>(path), 200);
      assert.deepEqual([agentNow.accountability, agentNow.name], [level, level]);
    }
  });

  it('does not lift a block by setting another status', async () => {
    await block(agent.id);
    assertProblem(await operator.patch(`/v1/agents/${agent.id}`, { status: 'active' }), 'INVALID_STATE');
    assert.equal(
      assertStatus(await operator.patch<Agent>(`/v1/agents/${agent.id}`, { name: 'still' }), 200).status,
      'blocked',
    );
  });
});
