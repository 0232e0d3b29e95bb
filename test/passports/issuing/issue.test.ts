import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { buildConnection, grant, inSeconds, made, otherJwk, publicJwk } from '../../authority/support.ts';
import { intent, submit } from '../../claims/support.ts';
import { buildAgent, buildAgentKey, buildOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { claimsOf, issue, openHolder, payloadOf, signed, tryIssue, ttlOf, verdictOf, type Holder } from '../holders.ts';

const path = '/v1/passports/issue';

const Lineage = z.object({ next: z.string().nullable(), started_at: z.string(), messages: z.number() });
const lineageOf = async ({ jti }: SignedPassport) =>
  (await database()).one(sql.type(Lineage)`
    select next_checkpoint_due_at as next, started_at, (select count(*) from lives where life = 'session:' || session_id) as messages
    from passport_lineages where id = ${jti}`);

describe('POST /v1/passports/issue', () => {
  let holder: Holder;
  beforeEach(async () => {
    holder = await openHolder();
  });
  const scope = (overrides: Record<string, unknown> = {}) => ({
    service_connection_id: holder.code.id,
    scopes: ['read'],
    ...overrides,
  });

  it('requires authentication, and a credential of the operator', async () => {
    assertProblem(await anonymous().post(path, { agent_id: holder.agentId }), 'UNAUTHENTICATED');
    const agentKey = await buildAgentKey(holder.as, holder.agentId);
    assertProblem(await agentKey.post(path, { agent_id: holder.agentId }), 'OPERATOR_SCOPE_REQUIRED');
  });

  it('signs everything that is granted now, for 900 seconds, with its Location', async () => {
    const reply = await tryIssue(holder);
    const passport = signed(reply);
    assert.equal(reply.headers.get('location'), `/v1/passports/${passport.jti}`);
    const { iat, exp, sub, jti, svcns } = payloadOf(passport.token);
    assert.deepEqual([sub, jti, exp - iat], [holder.agentId, passport.jti, 900]);
    assert.equal(passport.expires_at, new Date(exp * 1_000).toISOString());
    const { session_id: sessionId, agent_name: name, services, ...rest } = svcns;
    assert.match(sessionId, /^ses_[0-9A-Z]{26}$/);
    assert.match(name, /^agent-/);
    assert.deepEqual(rest, {
      operator_id: holder.as.operatorId,
      agent_id: holder.agentId,
      identity_claims: [],
      authority_refs: [],
      delegation_depth: 0,
      accountability: 'standard',
      mission_ids: [],
      chain: [],
    });
    const base = { scopes: ['read', 'write', 'admin'], credential_ref: null, constraints: [] };
    const names = [holder.code.service_name, holder.chat.service_name].toSorted();
    assert.deepEqual(services, [
      {
        ...base,
        service_id: 'github',
        service_name: holder.code.service_name,
        connection_id: holder.code.id,
        allow_data_from: names,
      },
      {
        ...base,
        service_id: 'slack',
        service_name: holder.chat.service_name,
        connection_id: holder.chat.id,
        allow_data_from: [],
      },
    ]);
    assert.equal(await verdictOf(passport), 'valid');
  });

  it('has what was granted when it was signed: a service connected later changes no passport', async () => {
    const before = await issue(holder);
    const later = await buildConnection(holder.as);
    await grant(holder.as, { agentId: holder.agentId, connectionId: later.id });
    assert.equal(claimsOf(before).services.length, 2);
    assert.equal(claimsOf(await issue(holder)).services.length, 3);
    assertStatus(await holder.as.patch(`/v1/service-connections/${later.id}`, { status: 'disabled' }), 200);
    assert.equal(claimsOf(await issue(holder)).services.length, 2);
    assertStatus(await holder.as.patch(`/v1/service-connections/${holder.code.id}`, { scopes: ['read'] }), 200);
    assert.deepEqual(claimsOf(await issue(holder)).services[0]?.scopes, ['read']);
  });

  it('sees a change of grants at the very next call, refusals included', async () => {
    const write = { scopes: [scope({ scopes: ['write'] })] };
    for (let round = 0; round < 10; round += 1) {
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { scopes: ['read'] });
      assertProblem(await tryIssue(holder, write), 'SCOPE_NOT_GRANTED', 'scopes.0.scopes');
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { scopes: ['write'] });
      assert.deepEqual(claimsOf(await issue(holder, write)).services[0]?.scopes, ['write']);
    }
  });

  it('is a passport without services where nothing is granted or requested', async () => {
    const { id: agentId } = await buildAgent(holder.as);
    assert.deepEqual(claimsOf(await issue({ ...holder, agentId })).services, []);
    assert.deepEqual(claimsOf(await issue(holder, { scopes: [] })).services, []);
  });

  describe('scopes', () => {
    const one = async (overrides: Record<string, unknown>) =>
      claimsOf(await issue(holder, { scopes: [scope(overrides)] })).services[0];

    it('are the requested ones; * is everything granted and never more', async () => {
      assert.deepEqual((await one({ scopes: ['write', 'read', 'read'] }))?.scopes, ['write', 'read']);
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { scopes: ['read', 'write'] });
      assert.deepEqual((await one({ scopes: ['*'] }))?.scopes, ['read', 'write']);
      assertProblem(
        await tryIssue(holder, { scopes: [scope({ scopes: ['*', 'admin'] })] }),
        'SCOPE_NOT_GRANTED',
        'scopes.0.scopes',
      );
    });

    it('of a connection that is not granted, unknown or foreign are SCOPE_NOT_GRANTED', async () => {
      const foreign = await openHolder();
      const idle = await buildConnection(holder.as);
      for (const id of [idle.id, foreign.code.id, 'con_01K0000000000000000000000A', 'nonsense']) {
        const refused = await tryIssue(holder, { scopes: [scope({ service_connection_id: id })] });
        assertProblem(refused, 'SCOPE_NOT_GRANTED', 'scopes.0.service_connection_id');
      }
    });

    it('allow data from the services of the grant, or fewer', async () => {
      const [code, chat] = [holder.code.service_name, holder.chat.service_name];
      assert.deepEqual((await one({ allow_data_from: [chat] }))?.allow_data_from, [chat]);
      assert.deepEqual((await one({ allow_data_from: [] }))?.allow_data_from, []);
      assert.deepEqual((await one({ allow_data_from: ['*'] }))?.allow_data_from, [code, chat].toSorted());
      const beyond = { service_connection_id: holder.chat.id, scopes: ['read'], allow_data_from: [code] };
      assertProblem(await tryIssue(holder, { scopes: [beyond] }), 'SCOPE_ESCALATION', 'scopes.0.allow_data_from');
      assertProblem(
        await tryIssue(holder, { scopes: [scope({ allow_data_from: ['mail'] })] }),
        'SCOPE_ESCALATION',
        'scopes.0.allow_data_from',
      );
    });

    it('keep the limits of the grant and add to them', async () => {
      const limit = { param: 'repository', op: 'prefix', value: 'ada/' };
      await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { constraints: [limit] });
      assert.deepEqual((await one({}))?.constraints, [limit]);
      const tighter = { param: 'repository', op: 'prefix', value: 'ada/carnet' };
      const other = { param: 'size', op: 'lte', value: 1.5 };
      assert.deepEqual((await one({ constraints: [tighter, other, limit] }))?.constraints, [limit, tighter, other]);
      const looser = scope({ constraints: [other, { param: 'repository', op: 'prefix', value: 'a' }] });
      assertProblem(await tryIssue(holder, { scopes: [looser] }), 'SCOPE_ESCALATION', 'scopes.0.constraints.1');
    });

    it('name intents, which become one constraint', async () => {
      const claims = [
        await submit(holder.as, { claim_type: 'intent_claim', payload: intent({ agent_id: holder.agentId }) }),
        await submit(holder.as, {
          claim_type: 'intent_claim',
          payload: intent({ agent_id: holder.agentId, target: 'code', action: 'GET' }),
        }),
      ];
      const ids = claims.map(({ id }) => id);
      assert.deepEqual((await one({ intents: ids }))?.constraints, [
        {
          param: 'intent',
          op: 'in',
          value: [
            { claim: ids[0], target: 'mail', action: 'POST /messages' },
            { claim: ids[1], target: 'code', action: 'GET' },
          ],
        },
      ]);
      assertProblem(
        await tryIssue(holder, { scopes: [scope({ intents: [ids[0], 'pc_01K0000000000000000000000A'] })] }),
        'UNKNOWN_INTENT',
        'scopes.0.intents.1',
      );
      const { id: other } = await buildAgent(holder.as);
      assertProblem(
        await tryIssue({ ...holder, agentId: other }, { scopes: [scope({ intents: [ids[0]] })] }),
        'VALIDATION_ERROR',
        'scopes.0.intents.0',
      );
      const stranger = await openHolder();
      const strange = await tryIssue(stranger, {
        scopes: [scope({ service_connection_id: stranger.code.id, intents: [ids[0]] })],
      });
      assertProblem(strange, 'UNKNOWN_INTENT', 'scopes.0.intents.0');
      const mission = await submit(holder.as);
      assertProblem(
        await tryIssue(holder, { scopes: [scope({ intents: [mission.id] })] }),
        'UNKNOWN_INTENT',
        'scopes.0.intents.0',
      );
    });
  });

  it('shows the intent, and keeps what it refers to', async () => {
    const claim = await submit(holder.as, {
      claim_type: 'intent_claim',
      payload: intent({ agent_id: holder.agentId }),
    });
    const statedIntent = {
      summary: 'Sort the issues',
      services: ['code'],
      will_delegate: true,
      estimated_duration_seconds: 90.5,
      refs: [claim.id, 'ticket 7'],
    };
    const passport = await issue(holder, { intent: statedIntent });
    assert.equal(claimsOf(passport).intent_summary, statedIntent.summary);
    assert.deepEqual(claimsOf(passport).intent_services, statedIntent.services);
    const shown = assertStatus(await holder.as.get<Passport>(`/v1/passports/${passport.jti}`), 200);
    assert.deepEqual([shown.intent_refs, shown.estimated_duration_seconds], [statedIntent.refs, 90.5]);
    const unknown = { ...statedIntent, refs: ['pc_01K0000000000000000000000A'] };
    assertProblem(await tryIssue(holder, { intent: unknown }), 'UNKNOWN_INTENT', 'intent.refs.0');
  });

  it('carries active authority bindings of this agent and its current key', async () => {
    assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: publicJwk }), 200);
    const terms = {
      agent_id: holder.agentId,
      receiver_id: 'bank.example',
      receiver_profile_version_id: 'v1',
      expires_at: inSeconds(3_600),
    };
    const { id } = await made(holder.as.post('/v1/authority-bindings', terms));
    const [ref] = claimsOf(await issue(holder, { authority_binding_ids: [id] })).authority_refs;
    assert.equal(ref?.binding_id, id);
    assert.match(ref.binding_digest, /^sha256:[0-9a-f]{64}$/);
    assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: otherJwk }), 200);
    for (const bad of [id, 'bnd_01K0000000000000000000000A']) {
      assertProblem(await tryIssue(holder, { authority_binding_ids: [bad] }), 'AUTHORITY_BINDING_INVALID');
    }
  });

  it('carries active missions', async () => {
    const { id } = await made(holder.as.post('/v1/missions', { declared_intent: 'Tidy up' }));
    const other = await made(
      holder.as.post('/v1/missions', { declared_intent: 'Tidy up', agent_id: (await buildAgent(holder.as)).id }),
    );
    assert.deepEqual(claimsOf(await issue(holder, { mission_ids: [id] })).mission_ids, [id]);
    assertProblem(await tryIssue(holder, { mission_ids: [id, other.id] }), 'VALIDATION_ERROR', 'mission_ids.1');
    assertStatus(await holder.as.post(`/v1/missions/${id}/complete`), 200);
    assertProblem(await tryIssue(holder, { mission_ids: [id] }), 'VALIDATION_ERROR', 'mission_ids.0');
    const foreign = await made((await buildOperator()).post('/v1/missions', { declared_intent: 'Tidy up' }));
    const short = await made(
      holder.as.post('/v1/missions', { declared_intent: 'Tidy up', expires_at: inSeconds(3_600) }),
    );
    await issue(holder, { mission_ids: [short.id] });
    for (const unknown of [foreign.id, 'ms_unknown']) {
      assertProblem(await tryIssue(holder, { mission_ids: [short.id, unknown] }), 'VALIDATION_ERROR', 'mission_ids.1');
    }
  });

  describe('time', () => {
    it('is valid as long as requested, fractions rounded down', async () => {
      for (const [requested, given] of [
        [60, 60],
        [90.9, 90],
        [3_600, 3_600],
      ])
        assert.equal(ttlOf(await issue(holder, { ttl_seconds: requested })), given);
    });

    it('takes the shortest checkpoint interval of the call, the agent and the mode', async () => {
      const intervals: [Record<string, unknown>, Record<string, unknown>, number | undefined, boolean][] = [
        [{}, {}, undefined, false],
        [{ checkpoint_interval_seconds: 120 }, {}, 120, false],
        [{ accountability: 'logged' }, {}, undefined, true],
        [{ accountability: 'logged' }, { checkpoint_interval_seconds: 61.9 }, 61, true],
        [{ accountability: 'enforced' }, {}, 300, true],
        [{ accountability: 'enforced', checkpoint_interval_seconds: 600 }, {}, 300, true],
        [{ accountability: 'enforced' }, { checkpoint_interval_seconds: 3_600 }, 300, true],
        [{ accountability: 'enforced' }, { checkpoint_interval_seconds: 60 }, 60, true],
        [
          { accountability: 'enforced', checkpoint_interval_seconds: 90 },
          { checkpoint_interval_seconds: 250 },
          90,
          true,
        ],
        [
          { accountability: 'logged', checkpoint_interval_seconds: 120 },
          { checkpoint_interval_seconds: 600 },
          120,
          true,
        ],
      ];
      for (const [agent, body, interval, timed] of intervals) {
        const { id: agentId } = await buildAgent(holder.as, agent);
        const passport = await issue({ ...holder, agentId }, body);
        assert.equal(claimsOf(passport).checkpoint_interval, interval, JSON.stringify([agent, body]));
        const { next, started_at: start } = await lineageOf(passport);
        const due = next === null ? undefined : Math.floor((Date.parse(next) - Date.parse(start)) / 1_000);
        assert.equal(due, timed ? interval : undefined);
      }
    });
  });

  it('refuses malformed bodies', async () => {
    const bad: [string, Record<string, unknown>][] = [
      ['agent_id', { agent_id: undefined }],
      ['agent_id', { agent_id: 7 }],
      ['ttl_seconds', { ttl_seconds: 59 }],
      ['ttl_seconds', { ttl_seconds: 3_601 }],
      ['ttl_seconds', { ttl_seconds: '900' }],
      ['scope', { scope: [] }],
      ['scopes.0.scopes', { scopes: [scope({ scopes: [] })] }],
      ['scopes.0.allow_data_fron', { scopes: [scope({ allow_data_fron: [] })] }],
      ['scopes.1.service_connection_id', { scopes: [scope(), scope()] }],
      ['scopes.0.constraints.0.value', { scopes: [scope({ constraints: [{ param: 'a', op: 'lte', value: '1' }] })] }],
      [
        'scopes.0.constraints.0.value',
        { scopes: [scope({ constraints: [{ param: 'a', op: 'regex', value: '[a' }] })] },
      ],
      ['intent.summary', { intent: { services: [] } }],
      ['intent.summary', { intent: { summary: 'x'.repeat(501), services: [] } }],
      ['intent.services', { intent: { summary: 'x' } }],
      [
        'intent.estimated_duration_seconds',
        { intent: { summary: 'x', services: [], estimated_duration_seconds: 86_401 } },
      ],
      ['intent.refs', { intent: { summary: 'x', services: [], refs: Array.from({ length: 65 }, String) } }],
      ['checkpoint_interval_seconds', { checkpoint_interval_seconds: 59 }],
      ['authority_binding_ids', { authority_binding_ids: Array.from({ length: 9 }, String) }],
      ['mission_ids', { mission_ids: Array.from({ length: 9 }, String) }],
    ];
    for (const [where, body] of bad) assertProblem(await tryIssue(holder, body), 'VALIDATION_ERROR', where);
  });

  it('never makes a token over 16 KiB, and writes nothing for one', async () => {
    const sources = Array.from({ length: 99 }, (_, index) => `${index}-${'x'.repeat(120)}`);
    await grant(holder.as, { agentId: holder.agentId, connectionId: holder.code.id }, { allow_data_from: sources });
    assertProblem(await tryIssue(holder), 'PASSPORT_TOO_LARGE');
    assert.deepEqual(assertStatus(await holder.as.get('/v1/passports/active'), 200), []);
    const fits = await issue(holder, { scopes: [scope({ allow_data_from: sources.slice(0, 80) })] });
    assert.equal(await verdictOf(fits), 'valid');
    assert(fits.token.length <= 16_384);
  });

  it('leaves an audit event, and for an agent of accountability standard no life', async () => {
    const passport = await issue(holder);
    assert.equal((await lineageOf(passport)).messages, 0);
    const Event = z.object({ action: z.string(), detail: z.unknown() });
    const event = await (
      await database()
    ).one(sql.type(Event)`select action, detail from audit_events where target = ${passport.jti}`);
    assert.deepEqual(event, {
      action: 'passport.issued',
      detail: { agent_id: holder.agentId, session_id: claimsOf(passport).session_id },
    });
  });
});
