import assert from 'node:assert/strict';
import type { Operator, RegisteredOperator } from '../../../src/accounts/operators/schema.ts';
import { buildMemberKey, buildOperator, unique } from '../../support/factories.ts';
import { assertProblem, assertStatus, platform, requester } from '../../support/service.ts';
import { tablesHolding } from '../api-keys/secrets.ts';

describe('POST /v1/operators', () => {
  it('makes an operator of tier free, an empty wallet and an admin key that works', async () => {
    const name = unique('operator');
    const reply = await platform().post<RegisteredOperator>('/v1/operators', { name, email: `${name}@example.test` });
    const { operator, api_key: key } = assertStatus(reply, 201);
    assert.match(operator.id, /^op_[0-9A-Z]{26}$/);
    assert.match(key, /^svc_live_[\w-]{43}$/);
    assert.deepEqual(
      { name: operator.name, email: operator.email, tier: operator.tier, status: operator.status },
      { name, email: `${name}@example.test`, tier: 'free', status: 'active' },
    );
    assert.equal(reply.headers.get('location'), null, 'an operator is read by its own key, at /v1/operators/me');
    assert.deepEqual(assertStatus(await requester(key).get('/v1/operators/me'), 200), operator);
    assert.equal(assertStatus(await requester(key).get('/v1/billing/balance'), 200).balance_cents, 0);
    assertStatus(await requester(key).get('/v1/api-keys'), 200);
  });

  it('shows the secret again for the same Idempotency-Key, with no readable copy in the database', async () => {
    const body = { name: unique('operator'), email: 'replay@example.test' };
    const headers = { 'idempotency-key': unique('register') };
    const first = assertStatus(await platform().post<RegisteredOperator>('/v1/operators', body, headers), 201);
    const again = await platform().post<RegisteredOperator>('/v1/operators', body, headers);
    assert.deepEqual(assertStatus(again, 201), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(await tablesHolding(first.api_key), []);
  });

  for (const [fault, body, path] of [
    ['no name', { email: 'a@example.test' }, 'name'],
    ['an empty name', { name: '', email: 'a@example.test' }, 'name'],
    ['a name of 129 characters', { name: 'x'.repeat(129), email: 'a@example.test' }, 'name'],
    ['no e-mail', { name: 'a' }, 'email'],
    ['an e-mail that is none', { name: 'a', email: 'a at example' }, 'email'],
    ['an unknown property', { name: 'a', email: 'a@example.test', tier: 'pro' }, 'tier'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await platform().post('/v1/operators', body), 'VALIDATION_ERROR', path);
    });
  }

  it('counts the characters of a name as code points', async () => {
    assertStatus(await platform().post('/v1/operators', { name: '🚢'.repeat(128), email: 'a@example.test' }), 201);
    assertProblem(
      await platform().post('/v1/operators', { name: '🚢'.repeat(129), email: 'a@example.test' }),
      'VALIDATION_ERROR',
      'name',
    );
  });
});

describe('PATCH /v1/operators/me', () => {
  it('changes name and e-mail, each alone', async () => {
    const operator = await buildOperator();
    const renamed = assertStatus(await operator.patch<Operator>('/v1/operators/me', { name: 'Renamed' }), 200);
    assert.deepEqual([renamed.name, renamed.email], ['Renamed', operator.email]);
    const moved = assertStatus(await operator.patch<Operator>('/v1/operators/me', { email: 'new@example.test' }), 200);
    assert.deepEqual([moved.name, moved.email], ['Renamed', 'new@example.test']);
    assert.deepEqual(assertStatus(await operator.get('/v1/operators/me'), 200), moved);
  });

  it('is for administrators', async () => {
    const operator = await buildOperator();
    const member = await buildMemberKey(operator);
    assertProblem(await member.patch('/v1/operators/me', { name: 'By a member' }), 'ADMIN_REQUIRED');
    assertProblem(await member.patch('/v1/operators/me', { email: 'by@a-member.test' }), 'ADMIN_REQUIRED');
    const { name, email } = assertStatus(await operator.get<Operator>('/v1/operators/me'), 200);
    assert.deepEqual([name, email], [operator.name, operator.email]);
  });

  for (const [fault, body, path] of [
    ['a tier', { tier: 'enterprise' }, 'tier'],
    ['a status', { status: 'suspended' }, 'status'],
    ['a null name', { name: null }, 'name'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await (await buildOperator()).patch('/v1/operators/me', body), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses a body that changes nothing', async () => {
    assertProblem(await (await buildOperator()).patch('/v1/operators/me', {}), 'VALIDATION_ERROR');
  });
});
