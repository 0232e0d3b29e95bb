import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { block, grant, inSeconds, made, otherJwk, publicJwk } from '../../authority/support.ts';
import { buildAgent, buildAgentKey } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import {
  ageSession,
  checkOut,
  claimsOf,
  delegate,
  expire,
  hold,
  issue,
  openHolder,
  payloadOf,
  refresh,
  signed,
  tryDelegate,
  tryRefresh,
  ttlOf,
  verdictOf,
  type Holder,
} from '../holders.ts';

const path = '/v1/passports/refresh';
/** SESSION_MAX_SECONDS of the suite's instance. */
const SESSION_MAX_SECONDS = 86_400;

describe('POST /v1/passports/refresh', () => {
  let holder: Holder;
  beforeEach(async () => {
    holder = await openHolder();
  });
  const regrant = (body: Record<string, unknown>) =>
    grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, body);

  it('requires authentication, and a credential of the operator', async () => {
    const { token } = await issue(holder);
    assertProblem(await anonymous().post(path, { token }), 'UNAUTHENTICATED');
    assertProblem(
      await (await buildAgentKey(holder.as, holder.agentId)).post(path, { token }),
      'OPERATOR_SCOPE_REQUIRED',
    );
  });

  it('gives the same with a new jti and a new time; the old token stays valid', async () => {
    const first = await issue(holder, { ttl_seconds: 100, intent: { summary: 'Sort', services: ['code'] } });
    const second = await refresh(holder, first);
    assert.notEqual(second.jti, first.jti);
    assert.deepEqual(claimsOf(second), claimsOf(first));
    assert.equal(ttlOf(second), 900);
    assert.equal(ttlOf(await refresh(holder, second, { ttl_seconds: 60.9 })), 60);
    assert.deepEqual([await verdictOf(first), await verdictOf(second)], ['valid', 'valid']);
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${second.jti}`), 200);
    assert.deepEqual([shown.parent_passport_id, shown.delegation_depth, shown.intent_summary], [null, 0, 'Sort']);
  });

  it('of a delegated passport keeps its chain and its place', async () => {
    const root = await issue(holder);
    const { id: childId } = await buildAgent(holder.as);
    const child = await delegate(holder, root, { child_agent_id: childId });
    const again = await refresh(holder, child);
    assert.deepEqual(claimsOf(again), claimsOf(child));
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${again.jti}`), 200);
    assert.deepEqual([shown.parent_passport_id, shown.delegation_depth, shown.agent_id], [root.jti, 1, childId]);
  });

  describe('never outlives', () => {
    it('the session, and clamps instead of refusing', async () => {
      const passport = await issue(holder);
      await ageSession(passport, SESSION_MAX_SECONDS - 1_000);
      const last = payloadOf((await refresh(holder, passport, { ttl_seconds: 3_600 })).token);
      assert.equal(last.exp, payloadOf(passport.token).iat + 1_000);
    });

    it('a session that is older than SESSION_MAX_SECONDS: it is expired', async () => {
      const passport = await issue(holder);
      await ageSession(passport, SESSION_MAX_SECONDS + 60);
      assertProblem(await tryRefresh(holder, passport.token), 'PASSPORT_EXPIRED');
    });

    it("the latest expiry of the parent's lineage", async () => {
      const root = await issue(holder, { ttl_seconds: 300 });
      const child = await delegate(holder, root);
      assert.equal(
        payloadOf((await refresh(holder, child, { ttl_seconds: 3_600 })).token).exp,
        payloadOf(root.token).exp,
      );
      const prolonged = await refresh(holder, root, { ttl_seconds: 600 });
      assert.equal(
        payloadOf((await refresh(holder, child, { ttl_seconds: 3_600 })).token).exp,
        payloadOf(prolonged.token).exp,
      );
    });
  });

  describe('checks again', () => {
    it('every scope: what is granted no longer is SCOPE_NOT_GRANTED', async () => {
      const passport = await issue(holder, {
        scopes: [{ service_connection_id: holder.code.id, scopes: ['read', 'write'] }],
      });
      await regrant({ scopes: ['read'], allow_data_from: ['*'] });
      assertProblem(await tryRefresh(holder, passport.token), 'SCOPE_NOT_GRANTED');
      await regrant({ scopes: ['read', 'write', 'admin'], allow_data_from: ['*'] });
      assert.deepEqual(claimsOf(await refresh(holder, passport)).services[0]?.scopes, ['read', 'write']);
      assertStatus(await holder.as.delete(`/v1/agents/${holder.agentId}/grants/${holder.code.id}`), 200);
      assertProblem(await tryRefresh(holder, passport.token), 'SCOPE_NOT_GRANTED');
      await regrant({ allow_data_from: ['*'] });
      assertStatus(await holder.as.patch(`/v1/service-connections/${holder.code.id}`, { status: 'disabled' }), 200);
      assertProblem(await tryRefresh(holder, passport.token), 'SCOPE_NOT_GRANTED');
    });

    it('data flow and limits: what a narrowed grant no longer gives is refused', async () => {
      const passport = await issue(holder);
      await regrant({ allow_data_from: [holder.chat.service_name] });
      assertProblem(await tryRefresh(holder, passport.token), 'SCOPE_NOT_GRANTED');
      await regrant({ allow_data_from: ['*'], constraints: [{ param: 'size', op: 'lte', value: 5 }] });
      assertProblem(await tryRefresh(holder, passport.token), 'SCOPE_NOT_GRANTED');
      const limited = await issue(holder);
      await regrant({ allow_data_from: ['*'], constraints: [{ param: 'size', op: 'lte', value: 6 }] });
      assert.deepEqual(claimsOf(await refresh(holder, limited)).services, claimsOf(limited).services);
    });

    it('the grants of the root for a child, which has none', async () => {
      const { id: childId } = await buildAgent(holder.as);
      const child = await delegate(holder, await issue(holder), {
        child_agent_id: childId,
        scopes: [{ service_connection_id: holder.code.id, scopes: ['read'] }],
      });
      await refresh(holder, child);
      await regrant({ scopes: ['write'], allow_data_from: ['*'] });
      assertProblem(await tryRefresh(holder, child.token), 'SCOPE_NOT_GRANTED');
    });

    it('identity claims: those that ended are left out', async () => {
      const attest = async (body: Record<string, unknown>) =>
        assertStatus(
          await platform().post<{ id: string }>('/v1/identity-claims', {
            provider: 'eid',
            layer: 'person',
            claim_type: 'name',
            assurance_level: 'L2',
            ...body,
          }),
          201,
        ).id;
      const [kept, revoked] = [
        await attest({ operator_id: holder.as.operatorId, inherit: false }),
        await attest({ agent_id: holder.agentId }),
      ];
      const passport = await issue(holder, { identity_claim_ids: [kept, revoked] });
      const child = await delegate(holder, passport, { child_agent_id: (await buildAgent(holder.as)).id });
      assertStatus(await platform().delete(`/v1/identity-claims/${revoked}`), 200);
      for (const old of [passport, child]) {
        assert.deepEqual(
          claimsOf(await refresh(holder, old)).identity_claims.map(({ claim_id: id, holder: about }) => [id, about]),
          [[kept, holder.as.operatorId]],
        );
      }
    });

    it('authority: a binding that ended is AUTHORITY_BINDING_INVALID', async () => {
      assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: publicJwk }), 200);
      const terms = {
        agent_id: holder.agentId,
        receiver_id: 'bank.example',
        receiver_profile_version_id: 'v1',
        expires_at: inSeconds(3_600),
      };
      const { id } = await made(holder.as.post('/v1/authority-bindings', terms));
      const passport = await issue(holder, { authority_binding_ids: [id] });
      await refresh(holder, passport);
      assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: otherJwk }), 200);
      assertProblem(await tryRefresh(holder, passport.token), 'AUTHORITY_BINDING_INVALID');
    });

    it('the agent: blocked, disabled or under review', async () => {
      const passport = await issue(holder);
      await hold(holder);
      assertProblem(await tryRefresh(holder, passport.token), 'AGENT_REVIEW_PENDING');
      const other = await openHolder();
      const held = await issue(other);
      await block(other.agentId);
      assertProblem(await tryRefresh(other, held.token), 'AGENT_BLOCKED');
      const third = await openHolder();
      const retired = await issue(third);
      assertStatus(await third.as.patch(`/v1/agents/${third.agentId}`, { status: 'disabled' }), 200);
      assertProblem(await tryRefresh(third, retired.token), 'PASSPORT_REVOKED');
    });
  });

  describe('and delegating further go on only while every agent of the chain may work', () => {
    /** A passport that was delegated from the holder's to a second agent and from that to a third. */
    const chain = async () => {
      const [{ id: second }, { id: third }] = [await buildAgent(holder.as), await buildAgent(holder.as)];
      const root = await issue(holder);
      const middle = await delegate(holder, root, { child_agent_id: second });
      const last = await delegate(holder, middle, { child_agent_id: third });
      return { agents: { root: holder.agentId, middle: second }, last };
    };

    for (const which of ['root', 'middle'] as const) {
      it(`not while the agent at the ${which} is held`, async () => {
        const { agents, last } = await chain();
        await refresh(holder, last);
        await hold(holder, agents[which]);
        assertProblem(await tryRefresh(holder, last.token), 'AGENT_REVIEW_PENDING');
        const { id: fourth } = await buildAgent(holder.as);
        assertProblem(await tryDelegate(holder, last.token, { child_agent_id: fourth }), 'AGENT_REVIEW_PENDING');
      });

      it(`not while the agent at the ${which} is blocked`, async () => {
        const { agents, last } = await chain();
        await block(agents[which]);
        assertProblem(await tryRefresh(holder, last.token), 'AGENT_BLOCKED');
        const { id: fourth } = await buildAgent(holder.as);
        assertProblem(await tryDelegate(holder, last.token, { child_agent_id: fourth }), 'AGENT_BLOCKED');
      });
    }
  });

  it("of what does not verify is INVALID_PASSPORT, of another operator's 404", async () => {
    const { token } = await issue(holder);
    for (const bad of ['', 'x', `${token}A`, token.slice(0, -1)])
      assertProblem(await tryRefresh(holder, bad), 'INVALID_PASSPORT', 'token');
    assertProblem(await tryRefresh(await openHolder(), token), 'NOT_FOUND');
    assertProblem(await holder.as.post(path, {}), 'VALIDATION_ERROR', 'token');
    assertProblem(await tryRefresh(holder, token, { ttl_seconds: 59 }), 'VALIDATION_ERROR', 'ttl_seconds');
  });

  it('of a passport that has ended is refused with how it ended', async () => {
    const [revoked, expired, done] = [await issue(holder), await issue(holder), await issue(holder)];
    const child = await delegate(holder, revoked);
    assertStatus(await holder.as.post('/v1/passports/revoke', { jti: revoked.jti }), 200);
    for (const { token } of [revoked, child]) assertProblem(await tryRefresh(holder, token), 'PASSPORT_REVOKED');
    await expire(expired);
    assertProblem(await tryRefresh(holder, expired.token), 'PASSPORT_EXPIRED');
    await checkOut(done);
    assertProblem(await tryRefresh(holder, done.token), 'ALREADY_CHECKED_OUT');
  });

  it('answers the same token again for an Idempotency-Key', async () => {
    const { token } = await issue(holder);
    const key = { 'idempotency-key': randomUUID() };
    const first = signed(await holder.as.post<SignedPassport>(path, { token }, key));
    assertStatus(await holder.as.post('/v1/passports/revoke-all', { confirm: true }), 200);
    const again = await holder.as.post<SignedPassport>(path, { token }, key);
    assert.deepEqual(signed(again), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });
});
