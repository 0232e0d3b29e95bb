import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { block, grant, inSeconds, made, otherJwk, publicJwk } from '../../authority/support.ts';
import { intent, submit } from '../../claims/support.ts';
import { buildAgent, buildAgentKey } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import {
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
  ttlOf,
  verdictOf,
  type Holder,
} from '../holders.ts';

const path = '/v1/passports/delegate';

describe('POST /v1/passports/delegate', () => {
  let holder: Holder;
  /** An agent of the same operator without grants. */
  let childId: string;
  beforeEach(async () => {
    holder = await openHolder();
    childId = (await buildAgent(holder.as)).id;
  });
  const scope = (overrides: Record<string, unknown> = {}) => ({
    service_connection_id: holder.code.id,
    scopes: ['read'],
    ...overrides,
  });
  const toChild = (overrides: Record<string, unknown> = {}) => ({
    child_agent_id: childId,
    scopes: [scope()],
    ...overrides,
  });

  it('requires authentication, and a credential of the operator', async () => {
    const { token } = await issue(holder);
    const body = { parent_passport_token: token, ...toChild() };
    assertProblem(await anonymous().post(path, body), 'UNAUTHENTICATED');
    assertProblem(await (await buildAgentKey(holder.as, childId)).post(path, body), 'OPERATOR_SCOPE_REQUIRED');
  });

  it('passes on what the parent has, to an agent without grants of its own', async () => {
    const { id: mission } = await made(holder.as.post('/v1/missions', { declared_intent: 'Tidy up' }));
    await platform().post('/v1/identity-claims', {
      operator_id: holder.as.operatorId,
      provider: 'eid',
      layer: 'person',
      claim_type: 'name',
      assurance_level: 'L2',
    });
    const statedIntent = {
      summary: 'Sort the issues',
      services: ['code'],
      estimated_duration_seconds: 120,
      refs: ['ticket 7'],
    };
    const parent = await issue(holder, { intent: statedIntent, mission_ids: [mission] });
    const child = await delegate(holder, parent, toChild());
    const [above, below] = [claimsOf(parent), claimsOf(child)];
    assert.equal(payloadOf(child.token).sub, childId);
    assert.equal(below.agent_id, childId);
    assert.equal(above.identity_claims.length, 1);
    for (const name of [
      'identity_claims',
      'session_id',
      'mission_ids',
      'intent_summary',
      'intent_services',
      'operator_id',
    ] as const) {
      assert.deepEqual(below[name], above[name], name);
    }
    assert.deepEqual([below.delegation_depth, below.chain], [1, [parent.jti]]);
    assert.deepEqual(below.services, [
      { ...above.services.find(({ connection_id: id }) => id === holder.code.id), scopes: ['read'] },
    ]);
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${child.jti}`), 200);
    assert.deepEqual(
      [
        shown.parent_passport_id,
        shown.delegation_depth,
        shown.session_id,
        shown.intent_refs,
        shown.mission_ids,
        shown.estimated_duration_seconds,
      ],
      [parent.jti, 1, above.session_id, ['ticket 7'], [mission], 120],
    );
    assert.equal(await verdictOf(child), 'valid');
  });

  it('allows four hops and no more', async () => {
    let passport = await issue(holder);
    const chain: string[] = [];
    for (const depth of [1, 2, 3, 4]) {
      chain.push(passport.jti);
      passport = await delegate(holder, passport, toChild());
      assert.deepEqual([claimsOf(passport).delegation_depth, claimsOf(passport).chain], [depth, chain]);
    }
    assertProblem(await tryDelegate(holder, passport.token, toChild()), 'DELEGATION_DEPTH_EXCEEDED');
    const refreshed = await refresh(holder, passport);
    assertProblem(await tryDelegate(holder, refreshed.token, toChild()), 'DELEGATION_DEPTH_EXCEEDED');
  });

  describe('never more than the parent', () => {
    it('in scopes: * is what the parent has', async () => {
      const parent = await issue(holder, { scopes: [scope({ scopes: ['read', 'write'] })] });
      const all = await delegate(holder, parent, toChild({ scopes: [scope({ scopes: ['*'] })] }));
      assert.deepEqual(claimsOf(all).services[0]?.scopes, ['read', 'write']);
      for (const [item, where] of [
        [scope({ scopes: ['admin'] }), 'scopes.0.scopes'],
        [scope({ scopes: ['*', 'admin'] }), 'scopes.0.scopes'],
        [scope({ service_connection_id: holder.chat.id }), 'scopes.0.service_connection_id'],
      ] as const) {
        assertProblem(await tryDelegate(holder, parent.token, toChild({ scopes: [item] })), 'SCOPE_ESCALATION', where);
      }
      assert.deepEqual(claimsOf(await delegate(holder, parent, toChild({ scopes: [] }))).services, []);
    });

    it('in sources of data: left out inherits, [] is none', async () => {
      const [code, chat] = [holder.code.service_name, holder.chat.service_name];
      const parent = await issue(holder, { scopes: [scope({ allow_data_from: [chat] })] });
      const flows = async (overrides: Record<string, unknown>) =>
        claimsOf(await delegate(holder, parent, toChild({ scopes: [scope(overrides)] }))).services[0]?.allow_data_from;
      assert.deepEqual(await flows({}), [chat]);
      assert.deepEqual(await flows({ allow_data_from: ['*'] }), [chat]);
      assert.deepEqual(await flows({ allow_data_from: [] }), []);
      // Granted to the agent, but the parent does not have it.
      assertProblem(
        await tryDelegate(holder, parent.token, toChild({ scopes: [scope({ allow_data_from: [code] })] })),
        'SCOPE_ESCALATION',
        'scopes.0.allow_data_from',
      );
    });

    it('in limits: those of the parent stay, and new ones are added', async () => {
      const limits = [
        { param: 'size', op: 'lte', value: 10 },
        { param: 'kind', op: 'in', value: ['a', 'b', 1] },
        { param: 'name', op: 'regex', value: '^a' },
      ];
      const parent = await issue(holder, { scopes: [scope({ constraints: limits })] });
      const attempt = (constraint: unknown) =>
        tryDelegate(holder, parent.token, toChild({ scopes: [scope({ constraints: [constraint] })] }));
      const tighter = [
        { param: 'size', op: 'lte', value: 9.5 },
        { param: 'kind', op: 'in', value: [1] },
        { param: 'size', op: 'gte', value: 1 },
        { param: 'name', op: 'prefix', value: 'x' },
      ];
      for (const constraint of tighter) {
        assert.deepEqual(claimsOf(signed(await attempt(constraint))).services[0]?.constraints, [...limits, constraint]);
      }
      assert.deepEqual(claimsOf(signed(await attempt(limits[2]))).services[0]?.constraints, limits);
      for (const looser of [
        { param: 'size', op: 'lte', value: 10.5 },
        { param: 'kind', op: 'in', value: ['a', 'c'] },
        { param: 'kind', op: 'in', value: ['1'] },
        { param: 'name', op: 'regex', value: '^ab' },
      ]) {
        assertProblem(await attempt(looser), 'SCOPE_ESCALATION', 'scopes.0.constraints.0');
      }
    });

    it("in intents: those of the parent, or the child agent's own where the parent has none", async () => {
      const claim = async (agentId: string) =>
        (await submit(holder.as, { claim_type: 'intent_claim', payload: intent({ agent_id: agentId }) })).id;
      const [first, second, own] = [await claim(holder.agentId), await claim(holder.agentId), await claim(childId)];
      const parent = await issue(holder, { scopes: [scope({ intents: [first, second] })] });
      const narrower = await delegate(holder, parent, toChild({ scopes: [scope({ intents: [second] })] }));
      assert.equal(claimsOf(narrower).services[0]?.constraints.length, 2);
      assertProblem(
        await tryDelegate(holder, parent.token, toChild({ scopes: [scope({ intents: [own] })] })),
        'SCOPE_ESCALATION',
        'scopes.0.intents',
      );
      assertProblem(
        await tryDelegate(holder, narrower.token, toChild({ scopes: [scope({ intents: [first] })] })),
        'SCOPE_ESCALATION',
        'scopes.0.intents',
      );
      const free = await issue(holder);
      assert.equal(
        claimsOf(await delegate(holder, free, toChild({ scopes: [scope({ intents: [own] })] }))).services[0]
          ?.constraints.length,
        1,
      );
      assertProblem(
        await tryDelegate(holder, free.token, toChild({ scopes: [scope({ intents: [first] })] })),
        'VALIDATION_ERROR',
        'scopes.0.intents.0',
      );
    });

    it('in time', async () => {
      const parent = await issue(holder, { ttl_seconds: 300 });
      assertProblem(await tryDelegate(holder, parent.token, toChild({ ttl_seconds: 400 })), 'TTL_EXCEEDS_PARENT');
      const omitted = payloadOf((await delegate(holder, parent, toChild())).token);
      assert.equal(omitted.exp, payloadOf(parent.token).exp);
      assert.equal(ttlOf(await delegate(holder, parent, toChild({ ttl_seconds: 60.9 }))), 60);
      const long = await issue(holder, { ttl_seconds: 3_600 });
      assert.equal(ttlOf(await delegate(holder, long, toChild())), 900);
    });

    it("in accountability: the child's own, never weaker than the parent's, and the shorter interval", async () => {
      const modes = ['standard', 'logged', 'enforced'] as const;
      for (const [above, parentMode] of modes.entries()) {
        for (const [own, childMode] of modes.entries()) {
          const agent = await openHolder({ accountability: parentMode });
          const { id } = await buildAgent(agent.as, { accountability: childMode });
          const parent = await issue(agent, { checkpoint_interval_seconds: 120.5 });
          const child = claimsOf(await delegate(agent, parent, { child_agent_id: id }));
          assert.deepEqual(
            [child.accountability, child.checkpoint_interval],
            [modes[Math.max(above, own)], 120],
            `${parentMode} to ${childMode}`,
          );
        }
      }
      const long = await openHolder({ accountability: 'enforced' });
      const { id } = await buildAgent(long.as, { accountability: 'enforced', checkpoint_interval_seconds: 60 });
      assert.equal(claimsOf(await delegate(long, await issue(long), { child_agent_id: id })).checkpoint_interval, 60);
    });
  });

  it('keeps authority bindings with their agent, and checks that they still count', async () => {
    assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: publicJwk }), 200);
    const terms = {
      agent_id: holder.agentId,
      receiver_id: 'bank.example',
      receiver_profile_version_id: 'v1',
      expires_at: inSeconds(3_600),
    };
    const { id } = await made(holder.as.post('/v1/authority-bindings', terms));
    const parent = await issue(holder, { authority_binding_ids: [id] });
    assert.deepEqual(claimsOf(await delegate(holder, parent)).authority_refs, claimsOf(parent).authority_refs);
    assert.deepEqual(claimsOf(await delegate(holder, parent, toChild())).authority_refs, []);
    assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: otherJwk }), 200);
    assertProblem(await tryDelegate(holder, parent.token), 'AUTHORITY_BINDING_INVALID');
    assertProblem(await tryDelegate(holder, parent.token, toChild()), 'AUTHORITY_BINDING_INVALID');
  });

  describe('the parent', () => {
    it('that does not verify is INVALID_PASSPORT, regardless of its length', async () => {
      const { token } = await issue(holder);
      for (const bad of ['', 'x', `${token}x`, token.slice(0, -1), 'x'.repeat(300_000)]) {
        assertProblem(await tryDelegate(holder, bad, toChild()), 'INVALID_PASSPORT', 'parent_passport_token');
      }
      assertProblem(
        await tryDelegate(holder, token, { parent_passport_token: 7 }),
        'VALIDATION_ERROR',
        'parent_passport_token',
      );
    });

    it('of another operator is 404, as is a foreign or unknown child', async () => {
      const stranger = await openHolder();
      const parent = await issue(holder);
      assertProblem(await tryDelegate(stranger, parent.token), 'NOT_FOUND');
      for (const id of [stranger.agentId, 'ag_01K0000000000000000000000A']) {
        assertProblem(await tryDelegate(holder, parent.token, toChild({ child_agent_id: id })), 'NOT_FOUND');
      }
    });

    it('that has ended is PASSPORT_REVOKED or PASSPORT_EXPIRED, also below a revoked ancestor', async () => {
      const [revoked, expired] = [await issue(holder), await issue(holder)];
      const below = await delegate(holder, revoked, toChild());
      assertStatus(await holder.as.post('/v1/passports/revoke', { jti: revoked.jti }), 200);
      for (const { token } of [revoked, below])
        assertProblem(await tryDelegate(holder, token, toChild()), 'PASSPORT_REVOKED');
      await expire(expired);
      assertProblem(await tryDelegate(holder, expired.token, toChild()), 'PASSPORT_EXPIRED');
    });

    it('that is checked out is ALREADY_CHECKED_OUT', async () => {
      const parent = await issue(holder);
      await checkOut(parent);
      assertProblem(await tryDelegate(holder, parent.token, toChild()), 'ALREADY_CHECKED_OUT');
    });
  });

  it('refuses an agent that is blocked, disabled or under review, parent or child', async () => {
    const parent = await issue(holder);
    const attempt = (id = childId) => tryDelegate(holder, parent.token, toChild({ child_agent_id: id }));
    await hold(holder, childId);
    assertProblem(await attempt(), 'AGENT_REVIEW_PENDING');
    const [{ id: retired }, { id: blocked }, { id: free }] = [
      await buildAgent(holder.as),
      await buildAgent(holder.as),
      await buildAgent(holder.as),
    ];
    assertStatus(await holder.as.patch(`/v1/agents/${retired}`, { status: 'disabled' }), 200);
    assertProblem(await attempt(retired), 'INVALID_STATE');
    await block(blocked);
    assertProblem(await attempt(blocked), 'AGENT_BLOCKED');
    await hold(holder);
    assertProblem(await attempt(free), 'AGENT_REVIEW_PENDING');
    await block(holder.agentId);
    const again = await openHolder();
    const other = await issue(again);
    await block(again.agentId);
    assertProblem(
      await tryDelegate(again, other.token, { child_agent_id: (await buildAgent(again.as)).id }),
      'AGENT_BLOCKED',
    );
  });

  it('does not need the grants to exist still', async () => {
    const parent = await issue(holder);
    await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { scopes: [] });
    assert.deepEqual(claimsOf(await delegate(holder, parent, toChild())).services[0]?.scopes, ['read']);
  });

  it('refuses malformed bodies', async () => {
    const { token } = await issue(holder);
    for (const [where, body] of [
      ['scopes', { scopes: undefined }],
      ['child_agent_id', { child_agent_id: undefined }],
      ['agent_id', { agent_id: childId }],
      ['ttl_seconds', { ttl_seconds: 59 }],
    ] as const) {
      assertProblem(await tryDelegate(holder, token, { ...toChild(), ...body }), 'VALIDATION_ERROR', where);
    }
  });

  it('answers the same token again for an Idempotency-Key, no matter what happened to the parent', async () => {
    const parent = await issue(holder);
    const key = { 'idempotency-key': randomUUID() };
    const body = { parent_passport_token: parent.token, ...toChild() };
    const first = signed(await holder.as.post<SignedPassport>(path, body, key));
    assertStatus(await holder.as.post('/v1/passports/revoke-all', { confirm: true }), 200);
    assert.deepEqual(signed(await holder.as.post<SignedPassport>(path, body, key)), first);
    assertProblem(await holder.as.post(path, body), 'PASSPORT_REVOKED');
  });
});
