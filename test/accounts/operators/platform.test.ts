import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Operator } from '../../../src/accounts/operators/schema.ts';
import type { WalletTransaction } from '../../../src/billing/wallet/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { approve, postApproved, refusedWith, withApproval } from '../../governance/support.ts';
import {
  buildAgent,
  buildAgentKey,
  buildOperator,
  publication,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import {
  assertProblem,
  assertStatus,
  database,
  platform,
  requester,
  type Reply,
  type Requester,
} from '../../support/service.ts';

describe('PATCH /v1/admin/operators/:id', () => {
  it('sets tier and commission, each alone', async () => {
    const operator = await buildOperator();
    const path = `/v1/admin/operators/${operator.operatorId}`;
    const enterprise = assertStatus(await platform().patch<Operator>(path, { tier: 'enterprise' }), 200);
    assert.deepEqual([enterprise.tier, enterprise.commission_bps, enterprise.status], ['enterprise', null, 'active']);
    const terms = assertStatus(await platform().patch<Operator>(path, { commission_bps: 250 }), 200);
    assert.deepEqual([terms.tier, terms.commission_bps], ['enterprise', 250]);
    assert.deepEqual(assertStatus(await operator.get('/v1/operators/me'), 200), terms);
    assert.equal(
      assertStatus(await platform().patch<Operator>(path, { commission_bps: null }), 200).commission_bps,
      null,
    );
  });

  it('refuses every key of a suspended operator and its agents immediately, until it is active again', async () => {
    const operator = await buildOperator();
    const agent = await buildAgentKey(operator, (await buildAgent(operator)).id);
    const path = `/v1/admin/operators/${operator.operatorId}`;
    assertStatus(await operator.get('/v1/operators/me'), 200);
    assertStatus(await agent.get('/v1/billing/balance'), 200);
    assert.equal(
      assertStatus(await platform().patch<Operator>(path, { status: 'suspended' }), 200).status,
      'suspended',
    );
    assertProblem(await operator.get('/v1/operators/me'), 'OPERATOR_SUSPENDED');
    assertProblem(await agent.get('/v1/billing/balance'), 'OPERATOR_SUSPENDED');
    assertProblem(await operator.post('/v1/agents', { name: 'x' }), 'OPERATOR_SUSPENDED');
    assertStatus(await platform().patch(path, { status: 'active' }), 200);
    assertStatus(await operator.get('/v1/operators/me'), 200);
    assertStatus(await agent.get('/v1/billing/balance'), 200);
  });

  it('gives back to an operator that is active again what was there, and nothing that had ended before', async () => {
    const operator = await buildOperator();
    const keyOf = async (agentId: string): Promise<Requester> => buildAgentKey(operator, agentId);
    const [active, retired, blocked] = [
      await buildAgent(operator),
      await buildAgent(operator),
      await buildAgent(operator),
    ];
    const [activeKey, retiredKey, blockedKey] = [
      await keyOf(active.id),
      await keyOf(retired.id),
      await keyOf(blocked.id),
    ];
    const made = await operator.post<{ id: string; key: string }>('/v1/api-keys', {
      name: 'gone',
      kind: 'operator',
      role: 'member',
    });
    const { id: keyId, key } = assertStatus(made, 201);
    assertStatus(await operator.delete(`/v1/api-keys/${keyId}`), 200);
    assertStatus(await operator.patch(`/v1/agents/${retired.id}`, { status: 'disabled' }), 200);
    assertStatus(await operator.post(`/v1/agents/${blocked.id}/block`, { notes: 'It lied.' }), 200);
    const agents = (): Promise<Reply> => operator.get('/v1/agents');
    const before = assertStatus(await agents(), 200);
    const path = `/v1/admin/operators/${operator.operatorId}`;
    for (const status of ['suspended', 'active']) assertStatus(await platform().patch(path, { status }), 200);
    assert.deepEqual(assertStatus(await agents(), 200), before);
    assertStatus(await activeKey.post('/v1/skills', publication()), 201);
    assertProblem(await retiredKey.get('/v1/billing/balance'), 'UNAUTHENTICATED');
    assertProblem(await blockedKey.post('/v1/skills', publication()), 'AGENT_BLOCKED');
    assertProblem(await requester(key).get('/v1/operators/me'), 'UNAUTHENTICATED');
    assertProblem(
      await operator.patch(`/v1/agents/${retired.id}`, { status: 'active' }),
      'GOVERNANCE_APPROVAL_REQUIRED',
    );
  });

  it('does not suspend the platform itself', async () => {
    assertProblem(await platform().patch('/v1/admin/operators/op_platform', { status: 'suspended' }), 'INVALID_STATE');
  });

  it('is 404 for an unknown operator', async () => {
    assertProblem(await platform().patch('/v1/admin/operators/op_unknown', { tier: 'pro' }), 'NOT_FOUND');
  });

  for (const [fault, body, path] of [
    ['an unknown tier', { tier: 'gold' }, 'tier'],
    ['an unknown status', { status: 'deleted' }, 'status'],
    ['a commission above the whole', { commission_bps: 10_001 }, 'commission_bps'],
    ['a negative commission', { commission_bps: -1 }, 'commission_bps'],
    ["a name, which is the operator's own", { name: 'x' }, 'name'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      const { operatorId } = await buildOperator();
      assertProblem(await platform().patch(`/v1/admin/operators/${operatorId}`, body), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses a body that changes nothing', async () => {
    const { operatorId } = await buildOperator();
    assertProblem(await platform().patch(`/v1/admin/operators/${operatorId}`, {}), 'VALIDATION_ERROR');
  });
});

describe('POST /v1/admin/operators/:id/adjustments', () => {
  let person: Requester;
  before(async () => {
    person = await buildPerson({ operatorId: 'op_platform' });
  });
  const pathOf = ({ operatorId }: TestOperator): string => `/v1/admin/operators/${operatorId}/adjustments`;
  const balanceOf = async (operator: TestOperator): Promise<unknown> =>
    assertStatus(await operator.get('/v1/billing/balance'), 200).balance_cents;

  it('puts cents into the wallet and takes them out, each a wallet transaction of its own', async () => {
    const operator = await buildOperator();
    const path = pathOf(operator);
    const welcome = { amount_cents: 1_000, description: 'Welcome' };
    const credited = assertStatus(await postApproved<WalletTransaction>(person, path, { body: welcome }), 201);
    assert.deepEqual(
      [credited.type, credited.amount_cents, credited.description, credited.meter],
      ['adjustment', 1_000, 'Welcome', null],
    );
    assert.match(credited.id, /^txn_[0-9A-Z]{26}$/);
    const back = await postApproved<WalletTransaction>(person, path, {
      body: { amount_cents: -300, description: 'Back' },
    });
    assert.equal(assertStatus(back, 201).amount_cents, -300);
    assert.equal(await balanceOf(operator), 700);
    const actions = await (
      await database()
    ).anyFirst(sql.type(z.object({ action: z.string() }))`
      select action from audit_events where target = ${operator.operatorId} and action like 'wallet.%' order by id`);
    assert.deepEqual(actions, ['wallet.adjusted', 'wallet.adjusted']);
  });

  for (const cents of [1, -1])
    it(`moves not even ${cents} cent by the platform's key alone, nor by an approval of another sum`, async () => {
      const operator = await buildOperator({ cents: 10 });
      const [path, body] = [pathOf(operator), { amount_cents: cents, description: 'x' }];
      const refused = await platform().post(path, body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      const approval = withApproval(refusedWith(refused).approval_id);
      const unapproved = await platform().post(path, body, approval);
      assert.deepEqual([unapproved.status, unapproved.body.approval_status], [403, 'pending']);
      assertStatus(await approve(person, refusedWith(refused).approval_id), 200);
      const other = await platform().post(path, { ...body, amount_cents: cents * 2 }, approval);
      assert.deepEqual([other.status, other.body.approval_status], [403, 'other_request']);
      assert.equal(await balanceOf(operator), 10);
      assertStatus(await platform().post(path, body, approval), 201);
      const again = await platform().post(path, body, approval);
      assert.deepEqual([again.status, again.body.approval_status], [403, 'consumed']);
      assert.equal(await balanceOf(operator), 10 + cents);
    });

  it('shows the person whose wallet it is', async () => {
    const operator = await buildOperator();
    const body = { amount_cents: 5, description: 'Goodwill' };
    const { approval_id: id } = refusedWith(await platform().post(pathOf(operator), body));
    const shown = assertStatus(await person.get(`/v1/governance/approvals/${id}`), 200);
    assert.deepEqual(
      [shown.action, shown.body, shown.subject],
      [
        'wallet.adjusted',
        body,
        { operator_id: operator.operatorId, name: operator.name, email: operator.email, status: 'active' },
      ],
    );
    assertStatus(await approve(person, id), 200);
  });

  it('moves money once for one Idempotency-Key', async () => {
    const operator = await buildOperator();
    const [body, headers] = [{ amount_cents: 5, description: 'once' }, { 'idempotency-key': unique('adjust') }];
    const first = assertStatus(await postApproved(person, pathOf(operator), { body, headers }), 201);
    assert.deepEqual(assertStatus(await platform().post(pathOf(operator), body, headers), 201), first);
    assert.equal(await balanceOf(operator), 5);
  });

  it('is 400 BALANCE_TOO_LOW where the wallet would go below zero, and leaves it as it is', async () => {
    const operator = await buildOperator({ cents: 10 });
    const path = pathOf(operator);
    assertProblem(await platform().post(path, { amount_cents: -11, description: 'too much' }), 'BALANCE_TOO_LOW');
    assert.equal(await balanceOf(operator), 10);
    assertStatus(await postApproved(person, path, { body: { amount_cents: -10, description: 'all of it' } }), 201);
  });

  it('is 404 for an unknown operator', async () => {
    const reply = await platform().post('/v1/admin/operators/op_unknown/adjustments', {
      amount_cents: 1,
      description: 'x',
    });
    assertProblem(reply, 'NOT_FOUND');
  });

  for (const [fault, body, path] of [
    ['nothing to move', { amount_cents: 0, description: 'x' }, 'amount_cents'],
    ['a fraction of a cent', { amount_cents: 0.5, description: 'x' }, 'amount_cents'],
    ['more than nine billion dollars', { amount_cents: 900_000_000_001, description: 'x' }, 'amount_cents'],
    ['no amount', { description: 'x' }, 'amount_cents'],
    ['no description', { amount_cents: 1 }, 'description'],
    ['a description of 2,001 characters', { amount_cents: 1, description: 'x'.repeat(2_001) }, 'description'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      const { operatorId } = await buildOperator();
      assertProblem(
        await platform().post(`/v1/admin/operators/${operatorId}/adjustments`, body),
        'VALIDATION_ERROR',
        path,
      );
    });
  }
});
