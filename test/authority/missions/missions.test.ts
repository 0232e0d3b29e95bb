import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Mission } from '../../../src/authority/missions/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildMemberKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { inSeconds } from '../support.ts';

const path = '/v1/missions';

const expire = async (missionId: string): Promise<void> => {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    update missions set expires_at = clock_timestamp() - interval '1 millisecond' where id = ${missionId}`);
};

describe('POST /v1/missions', () => {
  let operator: TestOperator;

  before(async () => {
    operator = await buildOperator();
  });

  it('declares a mission for any agent, without an end', async () => {
    const reply = await operator.post<Mission>(path, { declared_intent: 'Sort the mail' });
    const { id, claim_id: claimId, created_at: _at, ...mission } = assertStatus(reply, 201);
    assert.match(id, /^ms_[0-9A-Z]{26}$/);
    assert.match(claimId, /^pc_[0-9A-Z]{26}$/);
    assert.equal(reply.headers.get('location'), `${path}/${id}`);
    assert.deepEqual(mission, {
      operator_id: operator.operatorId,
      agent_id: null,
      declared_intent: 'Sort the mail',
      status: 'active',
      expires_at: null,
      completed_at: null,
    });
    assert.deepEqual(assertStatus(await operator.get(`${path}/${id}`), 200), reply.body);
  });

  it('records it as a claim that its operator reads', async () => {
    const agent = await buildAgent(operator);
    const expiresAt = inSeconds(3_600);
    const declared = { declared_intent: 'Pay "Ada" €5', agent_id: agent.id, expires_at: expiresAt };
    const mission = assertStatus(await operator.post<Mission>(path, declared), 201);
    assert.equal(mission.expires_at, expiresAt);
    const claim = assertStatus(
      await operator.get<{ envelope: Record<string, unknown> }>(`/v1/claims/${mission.claim_id}`),
      200,
    );
    const { issuer, subject, claim_type: type, payload } = claim.envelope;
    assert.deepEqual([issuer, subject, type], ['op_platform', `carnet://agent/${agent.id}`, 'mission']);
    assert.deepEqual(payload, {
      type: 'mission',
      mission_id: mission.id,
      operator_id: operator.operatorId,
      agent_id: agent.id,
      declared_intent: 'Pay "Ada" €5',
      expires_at: Math.floor(Date.parse(expiresAt) / 1_000),
    });
  });

  it('makes one mission and one claim for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await operator.post(path, { declared_intent: 'once' }, headers), 201);
    assert.deepEqual(assertStatus(await operator.post(path, { declared_intent: 'once' }, headers), 201), first);
  });

  it('is allowed to members too', async () => {
    assertStatus(await (await buildMemberKey(operator)).post(path, { declared_intent: 'x' }), 201);
  });

  it('is 404 for an unknown agent and for another operator’s', async () => {
    const foreign = await buildAgent(await buildOperator());
    for (const agentId of ['ag_unknown', foreign.id]) {
      assertProblem(await operator.post(path, { declared_intent: 'x', agent_id: agentId }), 'NOT_FOUND');
    }
  });

  for (const [fault, body, at] of [
    ['no declared_intent', {}, 'declared_intent'],
    ['an empty declared_intent', { declared_intent: '' }, 'declared_intent'],
    ['a declared_intent of 2,001 characters', { declared_intent: 'x'.repeat(2_001) }, 'declared_intent'],
    ['an expiry in the past', { declared_intent: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an expiry that is no instant', { declared_intent: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    ['an unknown property', { declared_intent: 'x', status: 'completed' }, 'status'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.post(path, body), 'VALIDATION_ERROR', at);
    });
  }
});

describe('GET /v1/missions', () => {
  it("lists the operator's own, newest first, page by page, each as it stands now", async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    assertStatus(await other.post(path, { declared_intent: 'foreign' }), 201);
    for (const intent of ['one', 'two', 'three']) {
      const { id } = assertStatus(await operator.post<Mission>(path, { declared_intent: intent }), 201);
      if (intent === 'one') await expire(id);
      if (intent === 'two') assertStatus(await operator.post(`${path}/${id}/complete`), 200);
    }
    const list = async (query: string): Promise<string[][]> => {
      const body = assertStatus(await operator.get<{ missions: Mission[]; total: number }>(`${path}${query}`), 200);
      assert.equal(body.total, 3);
      return body.missions.map(({ declared_intent: intent, status }) => [intent, status]);
    };
    assert.deepEqual(await list('?limit=2'), [
      ['three', 'active'],
      ['two', 'completed'],
    ]);
    assert.deepEqual(await list('?limit=2&offset=2'), [['one', 'expired']]);
  });
});

describe('POST /v1/missions/:id/complete', () => {
  it('ends it once, and gives the same answer again', async () => {
    const operator = await buildOperator();
    const made = assertStatus(await operator.post<Mission>(path, { declared_intent: 'x' }), 201);
    const ends = await Promise.all([1, 2, 3].map(() => operator.post<Mission>(`${path}/${made.id}/complete`)));
    const [first, ...others] = ends.map((reply) => assertStatus(reply, 200));
    assert.equal(typeof first?.completed_at, 'string');
    assert.deepEqual(first, { ...made, status: 'completed', completed_at: first?.completed_at });
    for (const other of others) assert.deepEqual(other, first);
    const audit = await operator.get<{ audit_events: { action: string }[] }>('/v1/audit-events');
    const completions = audit.body.audit_events.filter(({ action }) => action === 'mission.completed');
    assert.equal(completions.length, 1);
  });

  it('is 409 INVALID_STATE once it has expired', async () => {
    const operator = await buildOperator();
    const { id } = assertStatus(await operator.post<Mission>(path, { declared_intent: 'x' }), 201);
    await expire(id);
    const refused = await operator.post(`${path}/${id}/complete`);
    assertProblem(refused, 'INVALID_STATE');
    assert.equal(refused.body.current_status, 'expired');
    assert.equal(assertStatus(await operator.get<Mission>(`${path}/${id}`), 200).completed_at, null);
  });
});

describe('missions of others', () => {
  it('are 404 with the same words as unknown ones, and stay unchanged', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const { id } = assertStatus(await operator.post<Mission>(path, { declared_intent: 'x' }), 201);
    for (const call of [
      (missionId: string) => other.get(`${path}/${missionId}`),
      (missionId: string) => other.post(`${path}/${missionId}/complete`),
    ]) {
      const foreign = await call(id);
      assertProblem(foreign, 'NOT_FOUND');
      assert.equal(foreign.body.detail, (await call('ms_unknown')).body.detail);
    }
    assert.equal(assertStatus(await operator.get<Mission>(`${path}/${id}`), 200).status, 'active');
  });
});
