import assert from 'node:assert/strict';
import type { ServiceConnection } from '../../../src/authority/connections/schema.ts';
import { buildAgent, buildMemberKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';
import { buildConnection, grant } from '../support.ts';

const path = '/v1/service-connections';
const given = { service_id: 'github', service_name: 'my-github', scopes: ['repo:read', 'repo:write'] };
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `s${at}`);

/** Both POST and PATCH refuse these. */
const faults: [fault: string, body: Record<string, unknown>, path: string][] = [
  ['an empty service_id', { service_id: '' }, 'service_id'],
  ['a service_id of 129 characters', { service_id: 'x'.repeat(129) }, 'service_id'],
  ['an empty service_name', { service_name: '' }, 'service_name'],
  ['the service_name *, which means all', { service_name: '*' }, 'service_name'],
  ['scopes that are no list', { scopes: 'read' }, 'scopes'],
  ['the scope *, which is for grants', { scopes: ['read', '*'] }, 'scopes'],
  ['an empty scope', { scopes: ['read', ''] }, 'scopes.1'],
  ['a scope of 129 characters', { scopes: ['x'.repeat(129)] }, 'scopes.0'],
  ['a scope that is there twice', { scopes: ['read', 'write', 'read'] }, 'scopes.2'],
  ['101 scopes', { scopes: names(101) }, 'scopes'],
  ['an empty credential_ref', { credential_ref: '' }, 'credential_ref'],
  ['an unknown property', { secret: 'x' }, 'secret'],
];

describe('POST /v1/service-connections', () => {
  let operator: TestOperator;

  beforeEach(async () => {
    operator = await buildOperator();
  });

  it('makes an active connection, with its Location', async () => {
    const reply = await operator.post<ServiceConnection>(path, given);
    const { id, created_at: createdAt, updated_at: updatedAt, ...made } = assertStatus(reply, 201);
    assert.match(id, /^con_[0-9A-Z]{26}$/);
    assert.equal(createdAt, updatedAt);
    assert.equal(reply.headers.get('location'), `${path}/${id}`);
    assert.deepEqual(made, {
      ...given,
      operator_id: operator.operatorId,
      credential_ref: null,
      status: 'active',
    });
    assert.deepEqual(assertStatus(await operator.get(`${path}/${id}`), 200), reply.body);
  });

  it('accepts 100 scopes, no scopes, and a credential_ref', async () => {
    assert.equal((await buildConnection(operator, { scopes: names(100) })).scopes.length, 100);
    assert.deepEqual((await buildConnection(operator, { scopes: [] })).scopes, []);
    assert.equal((await buildConnection(operator, { credential_ref: 'vault:x' })).credential_ref, 'vault:x');
  });

  it('accepts a service_name once for each operator, even in parallel requests', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => operator.post(path, given)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'SERVICE_NAME_TAKEN');
    await buildConnection(await buildOperator(), given);
  });

  it('makes one connection for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await operator.post(path, given, headers), 201);
    assert.deepEqual(assertStatus(await operator.post(path, given, headers), 201), first);
  });

  it('is allowed to members too', async () => {
    await buildConnection(await buildMemberKey(operator));
  });

  for (const [fault, body, at] of faults) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.post(path, { ...given, ...body }), 'VALIDATION_ERROR', at);
    });
  }

  for (const missing of ['service_id', 'service_name', 'scopes'] as const) {
    it(`refuses a body without ${missing}`, async () => {
      const { [missing]: _left, ...body } = given;
      assertProblem(await operator.post(path, body), 'VALIDATION_ERROR', missing);
    });
  }
});

describe('GET /v1/service-connections', () => {
  it("lists the operator's own, newest first, page by page", async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    await buildConnection(other);
    for (const name of ['one', 'two', 'three']) await buildConnection(operator, { service_name: name });
    const list = async (query: string): Promise<[string[], unknown]> => {
      const reply = await operator.get<{ service_connections: ServiceConnection[]; total: number }>(`${path}${query}`);
      const body = assertStatus(reply, 200);
      return [body.service_connections.map(({ service_name: name }) => name), body.total];
    };
    assert.deepEqual(await list('?limit=2'), [['three', 'two'], 3]);
    assert.deepEqual(await list('?limit=2&offset=2'), [['one'], 3]);
  });
});

describe('PATCH /v1/service-connections/:id', () => {
  let operator: TestOperator;
  let made: ServiceConnection;

  beforeEach(async () => {
    operator = await buildOperator();
    made = await buildConnection(operator, { credential_ref: 'vault:x' });
  });

  it('changes the fields that are sent and leaves the rest', async () => {
    for (const patch of [
      { service_id: 'gitlab' },
      { service_name: 'renamed' },
      { scopes: ['read'] },
      { status: 'disabled' },
      { credential_ref: null },
      { status: 'active', scopes: [] },
    ]) {
      const changed = assertStatus(await operator.patch<ServiceConnection>(`${path}/${made.id}`, patch), 200);
      assert.deepEqual(changed, { ...made, ...patch, updated_at: changed.updated_at });
      assert(changed.updated_at >= made.updated_at);
      made = changed;
    }
  });

  it('refuses a name that another connection has', async () => {
    const other = await buildConnection(operator);
    const taken = await operator.patch(`${path}/${made.id}`, { service_name: other.service_name });
    assertProblem(taken, 'SERVICE_NAME_TAKEN');
    assertStatus(await operator.patch(`${path}/${made.id}`, { service_name: made.service_name }), 200);
  });

  for (const [fault, body, at] of [...faults, ['an unknown status', { status: 'gone' }, 'status'] as const]) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.patch(`${path}/${made.id}`, body), 'VALIDATION_ERROR', at);
    });
  }

  it('refuses a body that changes nothing', async () => {
    assertProblem(await operator.patch(`${path}/${made.id}`, {}), 'VALIDATION_ERROR');
  });
});

describe('DELETE /v1/service-connections/:id', () => {
  it('deletes the connection and its grants, and frees its name', async () => {
    const operator = await buildOperator();
    const { id: agentId } = await buildAgent(operator);
    const [gone, kept] = [await buildConnection(operator), await buildConnection(operator)];
    for (const { id: connectionId } of [gone, kept]) await grant(operator, { agentId, connectionId });
    assert.deepEqual(assertStatus(await operator.delete(`${path}/${gone.id}`), 200), { deleted: true });
    assertProblem(await operator.get(`${path}/${gone.id}`), 'NOT_FOUND');
    assertProblem(await operator.delete(`${path}/${gone.id}`), 'NOT_FOUND');
    const { grants } = assertStatus(
      await operator.get<{ grants: { service_connection_id: string }[] }>(`/v1/agents/${agentId}/grants`),
      200,
    );
    assert.deepEqual(
      grants.map(({ service_connection_id: connectionId }) => connectionId),
      [kept.id],
    );
    await buildConnection(operator, { service_name: gone.service_name });
  });
});

describe('service connections of others', () => {
  it('are 404 with the same words as unknown ones, and stay unchanged', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const made = await buildConnection(operator);
    for (const call of [
      (id: string) => other.get(`${path}/${id}`),
      (id: string) => other.patch(`${path}/${id}`, { status: 'disabled' }),
      (id: string) => other.delete(`${path}/${id}`),
    ]) {
      const foreign = await call(made.id);
      assertProblem(foreign, 'NOT_FOUND');
      assert.equal(foreign.body.detail, (await call('con_unknown')).body.detail);
    }
    assert.deepEqual(assertStatus(await operator.get(`${path}/${made.id}`), 200), made);
  });
});
