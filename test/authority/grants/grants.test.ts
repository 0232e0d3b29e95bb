import assert from 'node:assert/strict';
import type { Grant } from '../../../src/authority/grants/schema.ts';
import { buildAgent, buildMemberKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';
import { buildConnection, grant } from '../support.ts';

interface Scene {
  operator: TestOperator;
  agentId: string;
  connectionId: string;
  serviceName: string;
  path: string;
}

const scene = async (): Promise<Scene> => {
  const operator = await buildOperator();
  const { id: agentId } = await buildAgent(operator);
  const { id: connectionId, service_name: serviceName } = await buildConnection(operator);
  return { operator, agentId, connectionId, serviceName, path: `/v1/agents/${agentId}/grants/${connectionId}` };
};

const limit = { param: 'repository', op: 'prefix', value: 'ada/' };

describe('PUT /v1/agents/:id/grants/:service_connection_id', () => {
  let here: Scene;

  beforeEach(async () => {
    here = await scene();
  });

  it('grants scopes alone, without constraints or sources of data', async () => {
    const { operator, path } = here;
    const made = assertStatus(await operator.put<Grant>(path, { scopes: ['write', 'read'] }), 200);
    assert.deepEqual(made, {
      agent_id: here.agentId,
      service_connection_id: here.connectionId,
      service_id: 'github',
      service_name: here.serviceName,
      scopes: ['write', 'read'],
      constraints: [],
      allow_data_from: [],
      created_at: made.created_at,
      updated_at: made.created_at,
    });
    assert.deepEqual(assertStatus(await operator.get(path), 200), made);
  });

  it('replaces the whole grant: a list that is left out is empty', async () => {
    const { operator, path } = here;
    const given = { scopes: ['*', 'read'], constraints: [limit], allow_data_from: ['*', 'slack'] };
    const first = assertStatus(await operator.put<Grant>(path, given), 200);
    assert.deepEqual({ ...first, ...given }, first);
    const second = assertStatus(await operator.put<Grant>(path, { scopes: [] }), 200);
    assert.deepEqual([second.scopes, second.constraints, second.allow_data_from], [[], [], []]);
    assert.equal(second.created_at, first.created_at);
    assert(second.updated_at > first.updated_at);
  });

  it('keeps constraints as they were written', async () => {
    const { operator, path } = here;
    const constraints = [
      { param: 'p', op: 'in', value: [1e21, 0.1, 'ß', null, false] },
      { value: '^[a-z]+$', op: 'regex', param: 'p' },
    ];
    assertStatus(await operator.put(path, { scopes: ['*'], constraints }), 200);
    assert.deepEqual(assertStatus(await operator.get<Grant>(path), 200).constraints, constraints);
  });

  it('stays one grant with the body of one request, no matter what is sent in parallel', async () => {
    const { operator, agentId, path } = here;
    const bodies = ['read', 'write', 'admin', '*'].map((scope) => ({ scopes: [scope], allow_data_from: [scope] }));
    const replies = await Promise.all([...bodies, ...bodies].map((body) => operator.put<Grant>(path, body)));
    for (const reply of replies) assertStatus(reply, 200);
    const { grants, total } = assertStatus(
      await operator.get<{ grants: Grant[]; total: number }>(`/v1/agents/${agentId}/grants`),
      200,
    );
    assert.equal(total, 1);
    assert.deepEqual(grants[0]?.scopes, grants[0]?.allow_data_from);
  });

  it('leaves no grant on a connection that is deleted at the same time', async () => {
    const { operator, connectionId, path } = here;
    const [put, deleted] = await Promise.all([
      operator.put(path, { scopes: ['*'] }),
      operator.delete(`/v1/service-connections/${connectionId}`),
    ]);
    assertStatus(deleted, 200);
    if (put.status !== 200) assertProblem(put, 'NOT_FOUND');
    assertProblem(await operator.get(path), 'NOT_FOUND');
  });

  it('honours an Idempotency-Key', async () => {
    const { operator, path } = here;
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await operator.put(path, { scopes: ['read'] }, headers), 200);
    assertStatus(await operator.put(path, { scopes: ['write'] }), 200);
    assert.deepEqual(assertStatus(await operator.put(path, { scopes: ['read'] }, headers), 200), first);
    assert.deepEqual(assertStatus(await operator.get<Grant>(path), 200).scopes, ['write']);
  });

  it('accepts only scopes that the connection has now', async () => {
    const { operator, connectionId, path } = here;
    const refused = await operator.put(path, { scopes: ['read', 'delete', 'own'] });
    assertProblem(refused, 'VALIDATION_ERROR', 'scopes.1');
    assertProblem(refused, 'VALIDATION_ERROR', 'scopes.2');
    assertStatus(await operator.patch(`/v1/service-connections/${connectionId}`, { scopes: ['delete'] }), 200);
    assertStatus(await operator.put(path, { scopes: ['delete'] }), 200);
    assertProblem(await operator.put(path, { scopes: ['read'] }), 'VALIDATION_ERROR', 'scopes.0');
  });

  it('may be set by a member, and on a disabled connection', async () => {
    const { operator, connectionId, path } = here;
    assertStatus(await operator.patch(`/v1/service-connections/${connectionId}`, { status: 'disabled' }), 200);
    assertStatus(await (await buildMemberKey(operator)).put(path, { scopes: ['read'] }), 200);
  });

  for (const [fault, body, at] of [
    ['no scopes', {}, 'scopes'],
    ['a scope that is there twice', { scopes: ['read', 'read'] }, 'scopes.1'],
    ['101 scopes', { scopes: Array.from({ length: 101 }, (_, n) => `s${n}`) }, 'scopes'],
    ['a scope of 129 characters', { scopes: ['x'.repeat(129)] }, 'scopes.0'],
    ['a source that is there twice', { scopes: [], allow_data_from: ['a', 'a'] }, 'allow_data_from.1'],
    ['a source without a name', { scopes: [], allow_data_from: [''] }, 'allow_data_from.0'],
    ['a wrong constraint', { scopes: [], constraints: [limit, { ...limit, value: 1 }] }, 'constraints.1.value'],
    [
      'a pattern that does not close',
      { scopes: [], constraints: [{ param: 'p', op: 'regex', value: '[a' }] },
      'constraints.0.value',
    ],
    ['a misspelt allow_data_from', { scopes: [], allow_data_form: [] }, 'allow_data_form'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await here.operator.put(here.path, body), 'VALIDATION_ERROR', at);
      assertProblem(await here.operator.get(here.path), 'NOT_FOUND');
    });
  }
});

describe('GET /v1/agents/:id/grants', () => {
  it('lists the grants of the agent, the newest connection first, page by page', async () => {
    const { operator, agentId, connectionId } = await scene();
    const other = await buildAgent(operator);
    await grant(operator, { agentId: other.id, connectionId });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await buildConnection(operator);
      ids.unshift(id);
      await grant(operator, { agentId, connectionId: id });
    }
    const list = async (query: string): Promise<[string[], number]> => {
      const reply = await operator.get<{ grants: Grant[]; total: number }>(`/v1/agents/${agentId}/grants${query}`);
      const body = assertStatus(reply, 200);
      return [body.grants.map(({ service_connection_id: id }) => id), body.total];
    };
    assert.deepEqual(await list('?limit=2'), [ids.slice(0, 2), 3]);
    assert.deepEqual(await list('?limit=2&offset=2'), [ids.slice(2), 3]);
  });
});

describe('DELETE /v1/agents/:id/grants/:service_connection_id', () => {
  it('deletes the grant, once', async () => {
    const { operator, agentId, connectionId, path } = await scene();
    await grant(operator, { agentId, connectionId });
    assert.deepEqual(assertStatus(await operator.delete(path), 200), { deleted: true });
    assertProblem(await operator.delete(path), 'NOT_FOUND');
    assertProblem(await operator.get(path), 'NOT_FOUND');
  });
});

describe('grants of others', () => {
  it('are 404, whichever of the two ids is foreign or unknown, and stay unchanged', async () => {
    const [here, there] = await Promise.all([scene(), scene()]);
    for (const { operator, agentId, connectionId } of [here, there]) await grant(operator, { agentId, connectionId });
    const before = assertStatus(await there.operator.get(there.path), 200);
    const { agentId, connectionId, operator } = here;
    for (const path of [
      there.path,
      `/v1/agents/${agentId}/grants/${there.connectionId}`,
      `/v1/agents/${there.agentId}/grants/${connectionId}`,
      `/v1/agents/${agentId}/grants/con_unknown`,
      `/v1/agents/ag_unknown/grants/${connectionId}`,
    ]) {
      assertProblem(await operator.get(path), 'NOT_FOUND');
      assertProblem(await operator.put(path, { scopes: [] }), 'NOT_FOUND');
      assertProblem(await operator.delete(path), 'NOT_FOUND');
    }
    assertProblem(await operator.get(`/v1/agents/${there.agentId}/grants`), 'NOT_FOUND');
    assertProblem(await operator.get('/v1/agents/ag_unknown/grants'), 'NOT_FOUND');
    assert.deepEqual(assertStatus(await there.operator.get(there.path), 200), before);
  });
});
