import assert from 'node:assert/strict';
import type { IdentityClaim } from '../../../src/authority/identity-claims/schema.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';

const claim = { provider: 'eid', layer: 'person', claim_type: 'legal_name', assurance_level: 'L2' };

const attest = async (body: Record<string, unknown>): Promise<IdentityClaim> =>
  assertStatus(await platform().post<IdentityClaim>('/v1/identity-claims', { ...claim, ...body }), 201);

const claimsSeenBy = async (requester: Requester, query = ''): Promise<string[]> => {
  const page = assertStatus(
    await requester.get<{ identity_claims: IdentityClaim[] }>(`/v1/identity-claims${query}`),
    200,
  );
  return page.identity_claims.map(({ id }) => id);
};

describe('POST /v1/identity-claims', () => {
  let operator: TestOperator;
  let agent: { id: string };

  before(async () => {
    operator = await buildOperator();
    agent = await buildAgent(operator);
  });

  it('attests an operator, with defaults for what is left out', async () => {
    const reply = await platform().post<IdentityClaim>('/v1/identity-claims', {
      ...claim,
      operator_id: operator.operatorId,
    });
    const { id, verified_at: verifiedAt, created_at: createdAt, ...made } = assertStatus(reply, 201);
    assert.match(id, /^idc_[0-9A-Z]{26}$/);
    assert.equal(verifiedAt, createdAt);
    assert.equal(reply.headers.get('location'), `/v1/identity-claims/${id}`);
    assert.deepEqual(made, {
      ...claim,
      operator_id: operator.operatorId,
      agent_id: null,
      inherit: true,
      humanity_verified: false,
      expires_at: null,
      revoked_at: null,
    });
  });

  it('attests an agent by its id alone, and keeps times in UTC', async () => {
    const made = await attest({
      agent_id: agent.id,
      inherit: false,
      humanity_verified: true,
      verified_at: '2026-03-01T12:00:00+02:00',
      expires_at: '9999-12-31T23:59:59Z',
    });
    assert.deepEqual(
      [made.operator_id, made.agent_id, made.inherit, made.humanity_verified, made.verified_at, made.expires_at],
      [operator.operatorId, agent.id, false, true, '2026-03-01T10:00:00.000Z', '9999-12-31T23:59:59.000Z'],
    );
  });

  for (const [fault, body, path] of [
    ['neither operator nor agent', {}, 'operator_id'],
    ['an unknown operator', { operator_id: 'op_unknown' }, 'operator_id'],
    ['an unknown agent', { agent_id: 'ag_unknown' }, 'agent_id'],
    ['a level that is no text', { operator_id: 'op_platform', assurance_level: 2 }, 'assurance_level'],
    ['no provider', { operator_id: 'op_platform', provider: undefined }, 'provider'],
    ['a time before 1970', { operator_id: 'op_platform', verified_at: '1969-12-31T23:59:59Z' }, 'verified_at'],
    ['an unknown property', { operator_id: 'op_platform', revoked_at: null }, 'revoked_at'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await platform().post('/v1/identity-claims', { ...claim, ...body }), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses an agent that belongs to another operator than the one named', async () => {
    const other = await buildOperator();
    const reply = await platform().post('/v1/identity-claims', {
      ...claim,
      operator_id: other.operatorId,
      agent_id: agent.id,
    });
    assertProblem(reply, 'VALIDATION_ERROR', 'agent_id');
  });
});

describe('GET /v1/identity-claims', () => {
  it('shows an operator its own claims only, regardless of the query; the platform key sees all', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const agent = await buildAgent(operator);
    const mine = await attest({ operator_id: operator.operatorId });
    const ofAgent = await attest({ agent_id: agent.id });
    const theirs = await attest({ operator_id: other.operatorId });
    assert.deepEqual(await claimsSeenBy(operator), [ofAgent.id, mine.id]);
    assert.deepEqual(await claimsSeenBy(operator, `?agent_id=${agent.id}`), [ofAgent.id]);
    assert.deepEqual(await claimsSeenBy(operator, `?operator_id=${other.operatorId}`), [ofAgent.id, mine.id]);
    assert.deepEqual(await claimsSeenBy(platform(), `?operator_id=${other.operatorId}`), [theirs.id]);
  });
});

describe('GET /v1/identity-claims/:id', () => {
  it('shows a claim to its operator and the platform', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const made = await attest({ agent_id: (await buildAgent(operator)).id });
    const path = `/v1/identity-claims/${made.id}`;
    for (const caller of [operator, platform()]) assert.deepEqual(assertStatus(await caller.get(path), 200), made);
    assertProblem(await other.get(path), 'NOT_FOUND');
    assertProblem(await anonymous().get(path), 'UNAUTHENTICATED');
  });
});

describe('DELETE /v1/identity-claims/:id', () => {
  it('revokes: the claim stays with revoked_at, also after a second call', async () => {
    const operator = await buildOperator();
    const { id } = await attest({ operator_id: operator.operatorId });
    const revokedAt = async (): Promise<string | null | undefined> => {
      const page = await operator.get<{ identity_claims: IdentityClaim[] }>('/v1/identity-claims');
      return assertStatus(page, 200).identity_claims.find((one) => one.id === id)?.revoked_at;
    };
    assert.equal(await revokedAt(), null);
    assert.deepEqual(assertStatus(await platform().delete(`/v1/identity-claims/${id}`), 200), { deleted: true });
    const first = await revokedAt();
    assert(typeof first === 'string');
    assert.deepEqual(assertStatus(await platform().delete(`/v1/identity-claims/${id}`), 200), { deleted: true });
    assert.equal(await revokedAt(), first);
  });

  it('is 404 for an unknown claim', async () => {
    assertProblem(await platform().delete('/v1/identity-claims/idc_unknown'), 'NOT_FOUND');
  });
});
