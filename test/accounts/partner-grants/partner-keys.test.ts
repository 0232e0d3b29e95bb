import assert from 'node:assert/strict';
import { exportJWK, generateKeyPair } from 'jose';
import { assertGrant } from '../../../src/accounts/index.ts';
import type { ApiKeyId, OperatorId, PartnerGrantId } from '../../../src/ids/ids.ts';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import { block, publicJwk } from '../../authority/support.ts';
import { buildEndpoint, ENDPOINTS, shownEndpoint } from '../../inbound/endpoints/support.ts';
import {
  buildAgent,
  buildOperator,
  buildPartner,
  suspend,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { assertProblem, assertStatus, database, type Requester } from '../../support/service.ts';

interface Agents {
  agents: Agent[];
  total: number;
}
interface Endpoints {
  inbound_webhooks: { id: string }[];
  total: number;
}

describe('A partner key', () => {
  let operator: TestOperator;
  let partner: Requester & { grantId: string };
  let agent: string;
  before(async () => {
    operator = await buildOperator();
    partner = await buildPartner(operator);
    await buildAgent(operator);
    agent = (await buildAgent(partner)).id;
  });

  it('registers agents of the operator, which carry its grant', async () => {
    const shown = assertStatus(await operator.get<Agent>(`/v1/agents/${agent}`), 200);
    assert.deepEqual([shown.operator_id, shown.partner_grant_id], [operator.operatorId, partner.grantId]);
    const own = assertStatus(await operator.get<Agent>(`/v1/agents/${(await buildAgent(operator)).id}`), 200);
    assert.equal(own.partner_grant_id, null);
  });

  it('is one of two that register agents with the same public key in parallel: the other is refused', async () => {
    const others = [await buildOperator(), await buildOperator()];
    for (let round = 0; round < 40; round += 1) {
      const owner = others[round % 2] ?? assert.fail();
      const { publicKey } = await generateKeyPair('Ed25519', { extractable: true });
      const { kty, crv, x } = await exportJWK(publicKey);
      const partners = [await buildPartner(owner), await buildPartner(owner)];
      const replies = await Promise.all(
        partners.map((by) => by.post('/v1/agents', { name: unique('agent'), public_jwk: { kty, crv, x } })),
      );
      const refused = replies.filter(({ status }) => status !== 201);
      assert.equal(refused.length, 1, `round ${round}`);
      for (const reply of refused) assertProblem(reply, 'PARTNER_SCOPE');
    }
  });

  it('sees the agents of its grant, and no others', async () => {
    const other = await buildPartner(operator);
    const [own, foreign] = [(await buildAgent(operator)).id, (await buildAgent(other)).id];
    const { agents, total } = assertStatus(await partner.get<Agents>('/v1/agents'), 200);
    assert.deepEqual([agents.map(({ id }) => id), total], [[agent], 1]);
    assert.equal(assertStatus(await partner.get<Agent>(`/v1/agents/${agent}`), 200).id, agent);
    for (const id of [own, foreign]) assertProblem(await partner.get(`/v1/agents/${id}`), 'NOT_FOUND');
    assert.deepEqual(
      assertStatus(await other.get<Agents>('/v1/agents'), 200).agents.map(({ id }) => id),
      [foreign],
    );
  });

  it('makes endpoints for its agents and providers, and for no others', async () => {
    const { id, partner_grant_id: grant } = await buildEndpoint(partner, { agent_id: agent });
    assert.equal(grant, partner.grantId);
    const own = await buildAgent(operator);
    const foreign = await buildAgent(await buildPartner(operator));
    for (const agent_id of [own.id, foreign.id])
      assertProblem(await partner.post(ENDPOINTS, { provider: 'generic', agent_id }), 'NOT_FOUND');
    const refused = await partner.post(ENDPOINTS, { provider: 'mail_provider', agent_id: agent });
    assertProblem(refused, 'PROVIDER_NOT_ALLOWED');
    assert.deepEqual(refused.body['providers'], ['generic']);
    assert.equal((await shownEndpoint(operator, id)).id, id);
  });

  it('refuses a forward_url as for anybody', async () => {
    const body = { provider: 'generic', agent_id: agent, forward_url: 'https://10.0.0.1/x' };
    assertProblem(await partner.post(ENDPOINTS, body), 'FORWARD_URL_FORBIDDEN');
  });

  it('sees and revokes the endpoints of its grant, and no others', async () => {
    const other = await buildPartner(operator);
    const mine = await buildEndpoint(partner, { agent_id: agent });
    const foreign = [
      await buildEndpoint(operator),
      await buildEndpoint(operator, { agent_id: agent }),
      await buildEndpoint(other),
    ];
    const listed = assertStatus(await partner.get<Endpoints>(`${ENDPOINTS}?limit=100`), 200);
    const ids = new Set(listed.inbound_webhooks.map(({ id }) => id));
    assert.equal(ids.size, listed.total);
    assert(ids.has(mine.id) && foreign.every(({ id }) => !ids.has(id)));
    for (const { id } of foreign) {
      assertProblem(await partner.get(`${ENDPOINTS}/${id}`), 'NOT_FOUND');
      assertProblem(await partner.delete(`${ENDPOINTS}/${id}`), 'NOT_FOUND');
      assert.equal((await shownEndpoint(operator, id)).status, 'active');
    }
    assert.equal((await shownEndpoint(partner, mine.id)).status, 'active');
    assertStatus(await partner.delete(`${ENDPOINTS}/${mine.id}`), 200);
    assert.equal((await shownEndpoint(operator, mine.id)).status, 'revoked');
  });

  it('shares no Idempotency-Key with its operator', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const body = { name: unique('agent') };
    const ofOperator = assertStatus(await operator.post<Agent>('/v1/agents', body, headers), 201);
    const ofPartner = assertStatus(await partner.post<Agent>('/v1/agents', body, headers), 201);
    assert.notEqual(ofPartner.id, ofOperator.id);
    assert.deepEqual(assertStatus(await partner.post('/v1/agents', body, headers), 201), ofPartner);
  });

  it('learns of a blocked agent’s key that it is one, and not whose', async () => {
    const { id } = await buildAgent(operator, { public_jwk: publicJwk });
    await block(id);
    const refused = await partner.post('/v1/agents', { name: unique('agent'), public_jwk: publicJwk });
    assertProblem(refused, 'AGENT_BLOCKED');
    assert(!refused.text.includes(id));
  });

  it('may do nothing else', async () => {
    const calls = [
      partner.get('/v1/operators/me'),
      partner.patch(`/v1/agents/${agent}`, { name: 'x' }),
      partner.post('/v1/api-keys', { name: 'x', kind: 'agent', agent_id: agent }),
      partner.post('/v1/passports/issue', { agent_id: agent }),
      partner.get('/v1/billing/balance'),
      partner.get('/v1/skills'),
      partner.get('/v1/events'),
      partner.get('/v1/audit-events'),
      partner.get('/v1/notifications/destinations'),
      partner.post('/v1/operators', { name: 'x', email: 'x@example.test' }),
    ];
    for (const reply of await Promise.all(calls)) assertProblem(reply, 'PARTNER_SCOPE');
  });

  it('makes nothing in the moment in which its grant is deleted, even where it is still remembered', async () => {
    const pool = await database();
    const other = await buildPartner(operator);
    const caller = {
      kind: 'partner' as const,
      operatorId: operator.operatorId as OperatorId,
      keyId: other.keyId as ApiKeyId,
      grantId: other.grantId as PartnerGrantId,
    };
    assert.equal((await assertGrant(pool, caller)).id, other.grantId);
    assertStatus(await operator.delete(`/v1/partner-grants/${other.grantId}`), 200);
    await assert.rejects(assertGrant(pool, caller), { code: 'UNAUTHENTICATED' });
  });

  it('is refused while its operator is suspended', async () => {
    const other = await buildOperator();
    const key = await buildPartner(other);
    await suspend(other.operatorId);
    assertProblem(await key.get('/v1/agents'), 'OPERATOR_SUSPENDED');
  });
});
