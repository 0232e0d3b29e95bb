import assert from 'node:assert/strict';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import { passportFacts, type PassportFacts } from '../../src/authority/index.ts';
import { sql } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { buildAgent, buildOperator, type TestOperator } from '../support/factories.ts';
import { assertStatus, database, platform } from '../support/service.ts';
import { buildConnection, grant, inSeconds, made, otherJwk, publicJwk } from './support.ts';

const seconds = (instant: string): number => Math.floor(Date.parse(instant) / 1_000);
const Nothing = z.object({});
const factsOf = async (operatorId: string, agentId: string): Promise<PassportFacts | null> =>
  passportFacts(await database(), operatorId as OperatorId, agentId);

describe('the facts that a passport is signed from', () => {
  let operator: TestOperator;
  let agentId: string;

  const facts = async (): Promise<PassportFacts> => {
    const found = await factsOf(operator.operatorId, agentId);
    assert(found !== null);
    return found;
  };
  const attest = (body: Record<string, unknown>): Promise<{ id: string }> =>
    made(
      platform().post('/v1/identity-claims', {
        operator_id: operator.operatorId,
        provider: 'eid',
        layer: 'person',
        claim_type: 'legal_name',
        assurance_level: 'L2',
        ...body,
      }),
    );

  beforeEach(async () => {
    operator = await buildOperator();
    agentId = (await buildAgent(operator, { name: 'Ada', accountability: 'logged', public_jwk: publicJwk })).id;
  });

  it('are those of the agent alone where nothing was granted', async () => {
    const { revision, digest: of, ...found } = await facts();
    assert(revision > 0);
    assert.match(of, /^[0-9a-f]{32}$/);
    assert.deepEqual(found, {
      operator_status: 'active',
      agent: {
        id: agentId,
        name: 'Ada',
        status: 'active',
        accountability: 'logged',
        checkpoint_interval_seconds: null,
        key_thumbprint: await calculateJwkThumbprint(publicJwk),
      },
      grants: [],
      identity_claims: [],
      authority_bindings: [],
    });
  });

  it('are none for an unknown agent and for another operator’s', async () => {
    assert.equal(await factsOf(operator.operatorId, 'ag_unknown'), null);
    assert.equal(await factsOf((await buildOperator()).operatorId, agentId), null);
  });

  describe('grants', () => {
    it('are as they stand now: wildcards expanded, in the order of the connection', async () => {
      const slackish = { service_name: 'slack', service_id: 'sl', scopes: ['post', 'read'] };
      const slack = await buildConnection(operator, slackish);
      const github = await buildConnection(operator, { service_name: 'github', credential_ref: 'vault:gh' });
      const unused = await buildConnection(operator, { service_name: 'unused' });
      const constraints = [{ param: 'repository', op: 'prefix', value: 'ada/' }];
      await grant(operator, { agentId, connectionId: slack.id }, { scopes: ['*'], allow_data_from: ['*', 'mail'] });
      await grant(operator, { agentId, connectionId: github.id }, { scopes: ['admin', 'read'], constraints });
      await grant(operator, { agentId: (await buildAgent(operator)).id, connectionId: unused.id });
      assert.deepEqual((await facts()).grants, [
        {
          connection_id: slack.id,
          service_id: 'sl',
          service_name: 'slack',
          connection_scopes: ['post', 'read'],
          scopes: ['post', 'read'],
          credential_ref: null,
          constraints: [],
          allow_data_from: ['github', 'mail', 'slack'],
        },
        {
          connection_id: github.id,
          service_id: 'github',
          service_name: 'github',
          connection_scopes: ['read', 'write', 'admin'],
          scopes: ['read', 'admin'],
          credential_ref: 'vault:gh',
          constraints,
          allow_data_from: [],
        },
      ]);
    });

    it('narrow and widen with the connection, and are absent while it is disabled', async () => {
      const { id } = await buildConnection(operator);
      const [all, some] = [agentId, (await buildAgent(operator)).id];
      await grant(operator, { agentId: all, connectionId: id });
      await grant(operator, { agentId: some, connectionId: id }, { scopes: ['read', 'write'] });
      const scopesAfter = async (patch: Record<string, unknown>): Promise<unknown[]> => {
        assertStatus(await operator.patch(`/v1/service-connections/${id}`, patch), 200);
        const found = await Promise.all([all, some].map((agent) => factsOf(operator.operatorId, agent)));
        return found.map((one) => one?.grants[0]?.scopes);
      };
      assert.deepEqual(await scopesAfter({ scopes: ['write', 'delete'] }), [['write', 'delete'], ['write']]);
      assert.deepEqual(await scopesAfter({ scopes: ['read', 'write'] }), [
        ['read', 'write'],
        ['read', 'write'],
      ]);
      assert.deepEqual(await scopesAfter({ scopes: [] }), [[], []]);
      assert.deepEqual(await scopesAfter({ status: 'disabled' }), [undefined, undefined]);
    });

    it('have of a connection that is active again what is left: no grant that was deleted, no scope that was taken off', async () => {
      const { id } = await buildConnection(operator);
      const [kept, deleted] = [agentId, (await buildAgent(operator)).id];
      for (const agent of [kept, deleted]) await grant(operator, { agentId: agent, connectionId: id });
      const path = `/v1/service-connections/${id}`;
      assertStatus(await operator.patch(path, { status: 'disabled' }), 200);
      assertStatus(await operator.delete(`/v1/agents/${deleted}/grants/${id}`), 200);
      assertStatus(await operator.patch(path, { scopes: ['read'] }), 200);
      assertStatus(await operator.patch(path, { status: 'active' }), 200);
      const scopesOf = async (agent: string) => (await factsOf(operator.operatorId, agent))?.grants[0]?.scopes;
      assert.deepEqual([await scopesOf(kept), await scopesOf(deleted)], [['read'], undefined]);
    });

    it('expand * in allow_data_from to active services granted to this agent only', async () => {
      const [source, target] = [
        await buildConnection(operator, { service_name: 'source' }),
        await buildConnection(operator, { service_name: 'target' }),
      ];
      await grant(operator, { agentId, connectionId: target.id }, { allow_data_from: ['*'] });
      const sources = async (): Promise<string[] | undefined> =>
        (await facts()).grants.find(({ service_name: name }) => name === 'target')?.allow_data_from;
      assert.deepEqual(await sources(), ['target']);
      await grant(operator, { agentId, connectionId: source.id });
      assert.deepEqual(await sources(), ['source', 'target']);
      const scopesOfSource = (scopes: string[]) => operator.patch(`/v1/service-connections/${source.id}`, { scopes });
      assertStatus(await scopesOfSource([]), 200);
      assert.deepEqual(await sources(), ['target'], 'nothing is left of what was granted');
      assertStatus(await scopesOfSource(['read']), 200);
      assert.deepEqual(await sources(), ['source', 'target']);
      assertStatus(await operator.patch(`/v1/service-connections/${source.id}`, { status: 'disabled' }), 200);
      assert.deepEqual(await sources(), ['target']);
    });
  });

  it('contain the identity claims of the agent and the account that count now', async () => {
    const expiresAt = inSeconds(7_200);
    const account = await attest({ inherit: false, humanity_verified: true, verified_at: '2026-01-01T00:00:00.900Z' });
    const own = await attest({ agent_id: agentId, expires_at: expiresAt });
    await attest({ agent_id: (await buildAgent(operator)).id });
    const [revoked, expired] = [await attest({}), await attest({})];
    assertStatus(await platform().delete(`/v1/identity-claims/${revoked.id}`), 200);
    const pool = await database();
    await pool.query(sql.type(Nothing)`
      update identity_claims set expires_at = clock_timestamp() - interval '1 millisecond' where id = ${expired.id}`);
    const found = await facts();
    const named = { provider: 'eid', layer: 'person', claim_type: 'legal_name', assurance_level: 'L2' };
    assert.deepEqual(found.identity_claims, [
      {
        claim_id: account.id,
        ...named,
        verified_at: seconds('2026-01-01T00:00:00Z'),
        expires_at: null,
        humanity_verified: true,
        agent_id: null,
        inherit: false,
      },
      {
        claim_id: own.id,
        ...named,
        verified_at: found.identity_claims[1]?.verified_at,
        expires_at: seconds(expiresAt),
        humanity_verified: false,
        agent_id: agentId,
        inherit: true,
      },
    ]);
  });

  it('contain the authority bindings of the agent and its current key', async () => {
    const bindingEnds = inSeconds(7_200);
    const terms = { receiver_id: 'bank', receiver_profile_version_id: 'p1', expires_at: bindingEnds };
    const bind = (agent: string) => made(operator.post('/v1/authority-bindings', { ...terms, agent_id: agent }));
    const twin = (await buildAgent(operator, { public_jwk: publicJwk })).id;
    const [binding, revoked] = [await bind(agentId), await bind(agentId), await bind(twin)];
    assertStatus(await operator.post(`/v1/authority-bindings/${revoked.id}/revoke`), 200);
    const found = await facts();
    assert.equal(found.authority_bindings.length, 1);
    const { binding_digest: digest, ...bound } = found.authority_bindings[0] ?? { binding_digest: '' };
    assert.match(digest, /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual(bound, {
      binding_id: binding.id,
      binding_version: 1,
      binding_claim_id: binding.claim_id,
      receiver_id: 'bank',
      receiver_profile_version_id: 'p1',
      expires_at: seconds(bindingEnds),
    });
    assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: otherJwk }), 200);
    assert.deepEqual((await facts()).authority_bindings, []);
  });

  it('have the same digest while they are the same, no matter what else of the operator changes', async () => {
    const { revision, digest } = await facts();
    const other = (await buildAgent(operator)).id;
    const { id: connectionId } = await buildConnection(operator);
    await grant(operator, { agentId: other, connectionId });
    const later = await facts();
    assert.notEqual(later.revision, revision);
    assert.equal(later.digest, digest);
    await grant(operator, { agentId, connectionId });
    assert.notEqual((await facts()).digest, digest);
  });

  it('show which of several bindings are active, in the order of the request', async () => {
    const receiver = { receiver_id: 'bank', receiver_profile_version_id: 'p1' };
    const terms = { ...receiver, agent_id: agentId, expires_at: inSeconds(60) };
    const bind = () => made(operator.post('/v1/authority-bindings', terms));
    const [first, revoked, last] = [await bind(), await bind(), await bind()];
    assertStatus(await operator.post(`/v1/authority-bindings/${revoked.id}/revoke`), 200);
    const bindingIds = [last.id, 'bnd_unknown', revoked.id, first.id];
    const pool = await database();
    const active = await pool.oneFirst(sql.type(z.object({ active: z.array(z.string()) }))`
      select authority_bindings_active(${sql.array(bindingIds, 'text')}, ${agentId}) as active`);
    assert.deepEqual(active, [last.id, first.id]);
  });
});
