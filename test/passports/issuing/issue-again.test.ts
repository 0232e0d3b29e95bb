import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { block, grant, made } from '../../authority/support.ts';
import { buildAgent, suspend } from '../../support/factories.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';
import { expire, hold, issue, openHolder, signed, tryIssue, type Holder } from '../holders.ts';

const path = '/v1/passports/issue';

describe('POST /v1/passports/issue: holders and repetitions', () => {
  let holder: Holder;
  beforeEach(async () => {
    holder = await openHolder();
  });
  const scope = (overrides: Record<string, unknown> = {}) => ({
    service_connection_id: holder.code.id,
    scopes: ['read'],
    ...overrides,
  });

  describe('who may hold a passport', () => {
    it('an unknown or foreign agent is 404', async () => {
      const foreign = await openHolder();
      for (const agentId of [foreign.agentId, 'ag_01K0000000000000000000000A', 'nobody'])
        assertProblem(await tryIssue({ ...holder, agentId }), 'NOT_FOUND');
    });

    it('a blocked agent is AGENT_BLOCKED, a disabled one INVALID_STATE', async () => {
      await issue(holder);
      await block(holder.agentId);
      assertProblem(await tryIssue(holder), 'AGENT_BLOCKED');
      const { id: agentId } = await buildAgent(holder.as);
      assertStatus(await holder.as.patch(`/v1/agents/${agentId}`, { status: 'disabled' }), 200);
      assertProblem(await tryIssue({ ...holder, agentId }), 'INVALID_STATE');
    });

    it('an agent with a pending critical review is AGENT_REVIEW_PENDING, regardless of the request', async () => {
      await hold(holder);
      assertProblem(await tryIssue(holder), 'AGENT_REVIEW_PENDING');
      assertProblem(await tryIssue(holder, { scopes: [scope({ scopes: ['nothing'] })] }), 'AGENT_REVIEW_PENDING');
    });

    it('no agent of a suspended operator', async () => {
      await issue(holder);
      await suspend(holder.as.operatorId);
      assertProblem(await tryIssue(holder), 'OPERATOR_SUSPENDED');
    });
  });

  it('is not delayed by agents, grants and missions that are made for others all the time', async () => {
    const others = Array.from({ length: 12 }, async () => {
      for (let nth = 0; nth < 6; nth += 1) {
        const { id: agentId } = await buildAgent(holder.as);
        await grant(holder.as, { agentId, connectionId: holder.code.id });
        const { id } = await made(holder.as.post('/v1/missions', { declared_intent: 'Tidy up' }));
        signed(await holder.as.post('/v1/passports/issue', { agent_id: agentId, mission_ids: [id] }));
      }
    });
    await Promise.all(others);
  });

  describe('Idempotency-Key', () => {
    it('answers the same token again, even after grants changed or it has expired', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const body = { agent_id: holder.agentId };
      const first = await holder.as.post<SignedPassport>(path, body, key);
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { scopes: [] });
      await block(holder.agentId);
      const again = await holder.as.post<SignedPassport>(path, body, key);
      assert.deepEqual(signed(again), signed(first));
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      await expire(first.body);
      assert.equal(signed(await holder.as.post<SignedPassport>(path, body, key)).token, first.body.token);
      assertProblem(await holder.as.post(path, { ...body, ttl_seconds: 60 }, key), 'IDEMPOTENCY_KEY_REUSED');
    });

    it('stores no refusal', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const body = {
        agent_id: holder.agentId,
        scopes: [scope({ service_connection_id: holder.chat.id, scopes: ['read'] })],
      };
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.chat.id }, { scopes: [] });
      assertProblem(await holder.as.post(path, body, key), 'SCOPE_NOT_GRANTED');
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.chat.id }, { scopes: ['read'] });
      assertStatus(await holder.as.post(path, body, key), 201);
    });

    it('makes one passport of twenty calls in parallel', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => holder.as.post<SignedPassport>(path, { agent_id: holder.agentId }, key)),
      );
      assert.equal(new Set(replies.map((reply) => signed(reply).token)).size, 1);
      assert.equal(assertStatus(await holder.as.get<Passport[]>('/v1/passports/active'), 200).length, 1);
    });
  });
});
