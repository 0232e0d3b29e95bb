import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import type { ApiKey, CreatedApiKey } from '../../../src/accounts/api-keys/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { eventually } from '../../support/eventually.ts';
import { buildAgent, buildAgentKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { signIn } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, requester } from '../../support/service.ts';
import { tablesHolding } from './secrets.ts';

describe('POST /v1/api-keys', () => {
  let operator: TestOperator;
  let agent: { id: string };

  before(async () => {
    operator = await buildOperator();
    agent = await buildAgent(operator);
  });

  it('makes a key of the operator, with the role member unless one is named', async () => {
    const reply = await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'laptop', kind: 'operator' });
    const made = assertStatus(reply, 201);
    assert.match(made.key, /^svc_live_[\w-]{43}$/);
    assert.deepEqual([made.kind, made.role, made.agent_id, made.expires_at], ['operator', 'member', null, null]);
    assert.equal(made.last4, made.key.slice(-4));
    assert.equal(reply.headers.get('location'), `/v1/api-keys/${made.id}`);
    assertStatus(await requester(made.key).get('/v1/operators/me'), 200);
    assertProblem(await requester(made.key).get('/v1/api-keys'), 'ADMIN_REQUIRED');
  });

  it('makes an admin key on request', async () => {
    const made = assertStatus(
      await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'a', kind: 'operator', role: 'admin' }),
      201,
    );
    assertStatus(await requester(made.key).get('/v1/api-keys'), 200);
  });

  it('makes a key of an agent with a budget', async () => {
    const body = { name: 'a', kind: 'agent', agent_id: agent.id, monthly_limit_cents: 500 };
    const made = assertStatus(await operator.post<CreatedApiKey>('/v1/api-keys', body), 201);
    assert.deepEqual([made.kind, made.role, made.agent_id, made.monthly_limit_cents], ['agent', null, agent.id, 500]);
  });

  it('shows the secret of an Idempotency-Key to no other credential, which would outlive itself by it', async () => {
    const admin = { name: 'another', kind: 'operator', role: 'admin' };
    const other = assertStatus(await operator.post<CreatedApiKey>('/v1/api-keys', admin), 201);
    const headers = { 'idempotency-key': unique('key') };
    const body = { name: 'mine', kind: 'operator', role: 'admin' };
    assertStatus(await operator.post<CreatedApiKey>('/v1/api-keys', body, headers), 201);
    assertProblem(await requester(other.key).post('/v1/api-keys', body, headers), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('shows the secret again for the same Idempotency-Key, with no readable copy in the database', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(
      await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'once', kind: 'operator' }, headers),
      201,
    );
    const again = await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'once', kind: 'operator' }, headers);
    assert.deepEqual(assertStatus(again, 201), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const listed = assertStatus(await operator.get<{ api_keys: ApiKey[] }>('/v1/api-keys?limit=100'), 200).api_keys;
    assert.equal(listed.filter(({ name }) => name === 'once').length, 1);
    assert.deepEqual(await tablesHolding(first.key), []);
    assert.deepEqual(
      await tablesHolding(first.id),
      ['api_keys', 'audit_events', 'idempotency_keys', 'service_events'],
      'the scan finds what is there',
    );
  });

  for (const [fault, body, path] of [
    ['no kind', { name: 'a' }, 'kind'],
    ['an unknown kind', { name: 'a', kind: 'member' }, 'kind'],
    ['a partner key without grant', { name: 'a', kind: 'partner' }, 'partner_grant_id'],
    ['an unknown grant', { name: 'a', kind: 'partner', partner_grant_id: 'pgr_unknown' }, 'partner_grant_id'],
    ['a role for a partner key', { name: 'a', kind: 'partner', partner_grant_id: 'pgr_1', role: 'admin' }, 'role'],
    ['no name', { kind: 'operator' }, 'name'],
    ['an unknown role', { name: 'a', kind: 'operator', role: 'owner' }, 'role'],
    ['an agent for a key of the operator', { name: 'a', kind: 'operator', agent_id: 'ag_1' }, 'agent_id'],
    [
      'a budget for a key of the operator',
      { name: 'a', kind: 'operator', monthly_limit_cents: 1 },
      'monthly_limit_cents',
    ],
    ['an agent key without agent', { name: 'a', kind: 'agent' }, 'agent_id'],
    ['an unknown agent', { name: 'a', kind: 'agent', agent_id: 'ag_unknown' }, 'agent_id'],
    ['an expiry in the past', { name: 'a', kind: 'operator', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an expiry that is no time', { name: 'a', kind: 'operator', expires_at: 'tomorrow' }, 'expires_at'],
    ['an expiry in the year 0', { name: 'a', kind: 'operator', expires_at: '0000-01-01T00:00:00Z' }, 'expires_at'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.post('/v1/api-keys', body), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses a role or a negative budget for an agent key', async () => {
    const body = { name: 'a', kind: 'agent', agent_id: agent.id };
    assertProblem(await operator.post('/v1/api-keys', { ...body, role: 'admin' }), 'VALIDATION_ERROR', 'role');
    assertProblem(
      await operator.post('/v1/api-keys', { ...body, monthly_limit_cents: -1 }),
      'VALIDATION_ERROR',
      'monthly_limit_cents',
    );
  });

  it('refuses the agent of another operator like an unknown one', async () => {
    const foreign = await buildAgent(await buildOperator());
    const reply = await operator.post('/v1/api-keys', { name: 'a', kind: 'agent', agent_id: foreign.id });
    assertProblem(reply, 'VALIDATION_ERROR', 'agent_id');
  });

  it('is 409 INVALID_STATE for a retired agent', async () => {
    const retired = await buildAgent(operator);
    assertStatus(await operator.patch(`/v1/agents/${retired.id}`, { status: 'disabled' }), 200);
    assertProblem(
      await operator.post('/v1/api-keys', { name: 'a', kind: 'agent', agent_id: retired.id }),
      'INVALID_STATE',
    );
  });
});

describe('an API key that expires', () => {
  it('is 401 from its expiry on, whether it was in use or not', async () => {
    const operator = await buildOperator();
    const inUse = async (seconds: number): Promise<{ key: string; expiresAt: string }> => {
      const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
      const made = await operator.post<CreatedApiKey>('/v1/api-keys', {
        name: 'brief',
        kind: 'operator',
        expires_at: expiresAt,
      });
      const used = await requester(made.body.key).get('/v1/operators/me');
      // Answers that came after the expiry, as on a busy machine, prove nothing about the time before it.
      if (Date.now() >= Date.parse(expiresAt)) return inUse(seconds * 4);
      assertStatus(used, 200);
      return { key: assertStatus(made, 201).key, expiresAt };
    };
    const { key, expiresAt } = await inUse(2);
    const refused = await eventually('the key to expire', async () => {
      const reply = await requester(key).get('/v1/operators/me');
      return reply.status !== 200 && reply;
    });
    assertProblem(refused, 'UNAUTHENTICATED');
    assert(Date.now() >= Date.parse(expiresAt), 'not before');
  });
});

describe('GET /v1/api-keys', () => {
  it("lists the operator's own, newest first, page by page, without secrets", async () => {
    const operator = await buildOperator();
    for (const name of ['one', 'two'])
      assertStatus(await operator.post('/v1/api-keys', { name, kind: 'operator' }), 201);
    const page = await operator.get<{ api_keys: ApiKey[]; total: number }>('/v1/api-keys?limit=2');
    const { api_keys: keys, ...rest } = assertStatus(page, 200);
    assert.deepEqual(
      keys.map(({ name }) => name),
      ['two', 'one'],
    );
    assert.deepEqual(rest, { total: 3, limit: 2, offset: 0 });
    assert(keys.every((key) => !('key' in key) && !('secret_hash' in key)));
    const last = assertStatus(await operator.get<{ api_keys: ApiKey[] }>('/v1/api-keys?limit=2&offset=2'), 200);
    assert.deepEqual(
      last.api_keys.map(({ role }) => role),
      ['admin'],
    );
  });

  it('has those of one agent by agent_id, with how many there are', async () => {
    const operator = await buildOperator();
    const [agent, other] = [await buildAgent(operator), await buildAgent(operator)];
    for (const { id } of [agent, agent, other]) await buildAgentKey(operator, id);
    const page = await operator.get<{ api_keys: ApiKey[]; total: number }>(`/v1/api-keys?limit=1&agent_id=${agent.id}`);
    const { api_keys: keys, total } = assertStatus(page, 200);
    assert.deepEqual([keys.map(({ agent_id: id }) => id), total], [[agent.id], 2]);
    const foreign = await (await buildOperator()).get<{ total: number }>(`/v1/api-keys?agent_id=${agent.id}`);
    assert.equal(assertStatus(foreign, 200).total, 0);
  });

  for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1']) {
    it(`refuses ${query}`, async () => {
      assertProblem(
        await (await buildOperator()).get(`/v1/api-keys?${query}`),
        'VALIDATION_ERROR',
        `query.${query.split('=')[0]}`,
      );
    });
  }
});

describe('GET /v1/api-keys/:id', () => {
  it('shows the key that Location named, without its secret, to its operator only', async () => {
    const operator = await buildOperator();
    const made = await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'laptop', kind: 'operator' });
    const { key, ...shown } = assertStatus(made, 201);
    const path = made.headers.get('location') ?? '';
    assert.deepEqual(assertStatus(await operator.get<ApiKey>(path), 200), shown);
    assertProblem(await requester(key).get(path), 'ADMIN_REQUIRED');
    assertProblem(await (await buildOperator()).get(path), 'NOT_FOUND');
    assertProblem(await anonymous().get(path), 'UNAUTHENTICATED');
  });
});

describe('DELETE /v1/api-keys/:id', () => {
  it('refuses the key from the answer on, though it was in use', async () => {
    const operator = await buildOperator();
    const { id, key } = assertStatus(
      await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'a', kind: 'operator' }),
      201,
    );
    assertStatus(await requester(key).get('/v1/operators/me'), 200);
    assert.deepEqual(assertStatus(await operator.delete(`/v1/api-keys/${id}`), 200), { deleted: true });
    assertProblem(await requester(key).get('/v1/operators/me'), 'UNAUTHENTICATED');
    assertProblem(await operator.delete(`/v1/api-keys/${id}`), 'NOT_FOUND');
  });

  it("is 404 for another operator's key, which keeps working", async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const { id, key } = assertStatus(
      await other.post<CreatedApiKey>('/v1/api-keys', { name: 'a', kind: 'operator' }),
      201,
    );
    assertProblem(await operator.delete(`/v1/api-keys/${id}`), 'NOT_FOUND');
    assertStatus(await requester(key).get('/v1/operators/me'), 200);
  });
});

describe('the agent of an agent key', () => {
  let operator: TestOperator;
  let agent: { id: string };

  beforeEach(async () => {
    operator = await buildOperator();
    agent = await buildAgent(operator);
  });

  it('disabled: its keys, in use or not, are refused until it is active again', async () => {
    const [used, unused] = [await buildAgentKey(operator, agent.id), await buildAgentKey(operator, agent.id)];
    // Often enough that the key is cached: the announcement of its creation arrives some milliseconds later.
    for (let call = 0; call < 50; call += 1) assertStatus(await used.get('/v1/billing/balance'), 200);
    assertStatus(await operator.patch(`/v1/agents/${agent.id}`, { status: 'disabled' }), 200);
    assertProblem(await used.get('/v1/billing/balance'), 'UNAUTHENTICATED');
    assertProblem(await unused.get('/v1/billing/balance'), 'UNAUTHENTICATED');
    const person = await signIn(operator.email);
    const revived = assertStatus(await person.patch<Agent>(`/v1/agents/${agent.id}`, { status: 'active' }), 200);
    assert.equal(revived.status, 'active');
    assertStatus(await used.get('/v1/billing/balance'), 200);
  });

  it('blocked: its keys may read, and are 403 AGENT_BLOCKED on every mutation', async () => {
    const pool = await database();
    await pool.query(sql.type(z.object({}))`update agents set status = 'blocked' where id = ${agent.id}`);
    const key = await buildAgentKey(operator, agent.id);
    assertStatus(await key.get('/v1/billing/balance'), 200);
    assertProblem(await key.post('/v1/skills', {}), 'AGENT_BLOCKED');
  });
});
