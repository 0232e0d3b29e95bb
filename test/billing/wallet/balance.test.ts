import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { dollars } from '../../../src/billing/money.ts';
import type { WalletTransaction } from '../../../src/billing/wallet/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
} from '../../support/factories.ts';
import { postApproved } from '../../governance/support.ts';
import { buildPerson } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, platform, type Requester } from '../../support/service.ts';

const PATH = '/v1/billing/balance';

describe('GET /v1/billing/balance', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(PATH), 'UNAUTHENTICATED');
  });

  it('is empty at first', async () => {
    const reply = await (await buildOperator()).get(PATH);
    assert.deepEqual(assertStatus(reply, 200), {
      balance_cents: 0,
      balance_usd: '$0.00',
      ledger_balance_cents: 0,
      held_cents: 0,
      receivable_cents: 0,
    });
  });

  it('shows what is available, what is there and what is held', async () => {
    const operator = await buildOperator({ cents: 123_450 });
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 45 });
    await buildInvocation(operator, skill.id);
    assert.deepEqual(assertStatus(await operator.get(PATH), 200), {
      balance_cents: 123_405,
      balance_usd: '$1234.05',
      ledger_balance_cents: 123_450,
      held_cents: 45,
      receivable_cents: 0,
    });
  });

  it('is readable by members and agents', async () => {
    const operator = await buildOperator({ cents: 5 });
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const reader of [await buildMemberKey(operator), agentKey])
      assert.equal(assertStatus(await reader.get(PATH), 200).balance_cents, 5);
  });
});

describe('POST /v1/admin/operators/:id/adjustments moves money', () => {
  after(async () => assertLedger(await database()));

  let person: Requester;
  before(async () => {
    person = await buildPerson({ operatorId: 'op_platform' });
  });

  const adjust = (operatorId: string, body: object) =>
    postApproved<WalletTransaction>(person, `/v1/admin/operators/${operatorId}/adjustments`, { body });

  it('in and out, as a row of the wallet', async () => {
    const operator = await buildOperator();
    assertStatus(await adjust(operator.operatorId, { amount_cents: 100, description: 'Welcome' }), 201);
    const row = assertStatus(await adjust(operator.operatorId, { amount_cents: -30, description: 'Correction' }), 201);
    assert.deepEqual([row.type, row.amount_cents, row.description, row.meter], ['adjustment', -30, 'Correction', null]);
    assert.match(row.id, /^txn_/);
    assert.deepEqual(row.details.llm_sources, []);
    assert.equal((await operator.get(PATH)).body.balance_cents, 70);
  });

  it('never below zero, nor below what is held', async () => {
    const operator = await buildOperator({ cents: 100 });
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 60 });
    await buildInvocation(operator, skill.id);
    const reply = await platform().post(`/v1/admin/operators/${operator.operatorId}/adjustments`, {
      amount_cents: -41,
      description: 'too much',
    });
    assertProblem(reply, 'BALANCE_TOO_LOW');
    assert.equal(reply.body.balance_cents, 40);
    assertStatus(await adjust(operator.operatorId, { amount_cents: -40, description: 'all there is' }), 201);
  });

  it('only to an operator that exists', async () => {
    const reply = await platform().post('/v1/admin/operators/op_nobody/adjustments', {
      amount_cents: 1,
      description: 'x',
    });
    assertProblem(reply, 'NOT_FOUND');
  });
});

describe('dollars', () => {
  for (const [cents, text] of [
    [0, '$0.00'],
    [5, '$0.05'],
    [1_234, '$12.34'],
    [123_450, '$1234.50'],
    [-5, '-$0.05'],
    [-12_345, '-$123.45'],
  ] as const) {
    it(`writes ${cents} cents as ${text}`, () => assert.equal(dollars(cents), text));
  }
});
