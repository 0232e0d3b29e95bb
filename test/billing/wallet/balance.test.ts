import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { dollars } from '../../../src/fields/dollars.ts';
import type { Balance, WalletTransaction } from '../../../src/billing/wallet/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  credit,
} from '../../support/factories.ts';
import { charge } from '../ledger/ledger-world.ts';
import { buildTopUp, post, topUpRow } from '../payments/support.ts';
import { sealedCall } from '../statement/statements.ts';
import { postApproved } from '../../governance/support.ts';
import { disputeObject, paymentEventBody } from '../../support/payment-webhooks.ts';
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
      reserved_cents: 0,
      available_cents: 0,
      receivable_cents: 0,
      remainders: [],
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
      reserved_cents: 0,
      available_cents: 123_405,
      receivable_cents: 0,
      remainders: [],
    });
  });

  it('says what can be spent to the cent, with what meters have begun to use', async () => {
    const operator = await buildOperator({ cents: 2_000 });
    const pool = await database();
    await charge(pool, operator.operatorId, 300_000);
    await sealedCall(pool, operator.operatorId, { costMicrocents: 400_000 });
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 2_000 });
    const balance = assertStatus(await operator.get<Balance>(PATH), 200);
    assert.deepEqual([balance.balance_cents, balance.reserved_cents, balance.available_cents], [2_000, 1, 1_999]);
    assert.deepEqual(balance.remainders, [
      { meter: 'sealed_execution', microcents: 460_000 },
      { meter: 'sms', microcents: 300_000 },
    ]);
    const input = { input: { text: 'hello' } };
    assertProblem(await operator.post(`/v1/skills/${skill.id}/invoke`, input), 'INSUFFICIENT_CREDITS');
    const cheaper = await buildSkill(await buildOperator(), { price_per_invocation: balance.available_cents });
    assertStatus(await operator.post(`/v1/skills/${cheaper.id}/invoke`, input), 201);
    assert.equal(assertStatus(await operator.get<Balance>(PATH), 200).available_cents, 0);
  });

  it('has nothing available while something is owed', async () => {
    const operator = await buildOperator();
    const topUp = await buildTopUp(operator, 1_000);
    await charge(await database(), operator.operatorId, 300_000);
    await credit(operator.operatorId, -900);
    const paymentId = (await topUpRow(topUp.id)).payment_id ?? '';
    const dispute = disputeObject({ id: `dp_${topUp.id}`, paymentId, amountCents: 1_000 });
    await post(paymentEventBody('charge.dispute.created', dispute));
    const balance = assertStatus(await operator.get<Balance>(PATH), 200);
    assert.deepEqual([balance.balance_cents, balance.available_cents, balance.receivable_cents], [0, 0, 900]);
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
