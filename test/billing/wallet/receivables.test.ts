import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import type { Balance, WalletTransaction } from '../../../src/billing/wallet/schema.ts';
import { buildInvocation, buildOperator, buildSkill, credit, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, platform } from '../../support/service.ts';
import { refundedThere } from '../payments/local-refunds.ts';
import { buildTopUp, movements, topUpRow } from '../payments/support.ts';

interface Statement {
  receivable_cents: number;
  transactions: WalletTransaction[];
}

const balanceOf = async (operator: TestOperator): Promise<Balance> =>
  assertStatus(await operator.get<Balance>('/v1/billing/balance'), 200);

describe('A wallet that owes', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  let provider: TestOperator;
  let skillId: string;
  before(async () => {
    provider = await buildOperator();
    skillId = (await buildSkill(provider, { price_per_invocation: 300 })).id;
  });

  /** $10 were paid, twice $3 are held for work, and all $10 were taken back: $6 are owed. */
  async function debtor(): Promise<{ operator: TestOperator; work: [string, string] }> {
    const operator = await buildOperator();
    const { id } = await buildTopUp(operator);
    const work: [string, string] = [
      (await buildInvocation(operator, skillId)).id,
      (await buildInvocation(operator, skillId)).id,
    ];
    await refundedThere((await topUpRow(id)).payment_id, 1_000);
    return { operator, work };
  }
  const act = (id: string, { by, what, body }: { by: TestOperator; what: string; body?: unknown }) =>
    by.post(`/v1/skills/invocations/${id}/${what}`, body);

  it('shows what it owes beside what it has', async () => {
    assert.deepEqual(await balanceOf((await debtor()).operator), {
      balance_cents: 0,
      balance_usd: '$0.00',
      ledger_balance_cents: 600,
      held_cents: 600,
      receivable_cents: 600,
      available_cents: 0,
      reserved_cents: 0,
      remainders: [],
    });
  });

  it('shows it in its statement, and each row that pays it', async () => {
    const { operator, work } = await debtor();
    const statement = async () => {
      const reply = await operator.get<Statement>('/v1/billing/transactions');
      const { receivable_cents, transactions } = assertStatus(reply, 200);
      return [
        receivable_cents,
        ...transactions.map(({ amount_cents, description }) => `${amount_cents} ${description}`),
      ];
    };
    const taken = ['-400 Refunded by the payment provider', '1000 Top-up'];
    assert.deepEqual(await statement(), [600, ...taken]);
    assertStatus(await act(work[0], { by: operator, what: 'cancel' }), 200);
    assert.deepEqual(await statement(), [300, '-300 Owed since a payment was charged back', ...taken]);
  });

  it('pays it from a hold that is released, and may spend again once it holds what it owed', async () => {
    const { operator, work } = await debtor();
    assertStatus(await act(work[0], { by: operator, what: 'cancel' }), 200);
    const left = await balanceOf(operator);
    assert.deepEqual([left.balance_cents, left.held_cents, left.receivable_cents], [0, 300, 300]);
    assertStatus(await act(work[1], { by: provider, what: 'claim' }), 200);
    assertStatus(
      await act(work[1], { by: provider, what: 'fail', body: { error: { code: 'BROKEN', message: 'broken' } } }),
      200,
    );
    assert.deepEqual(await balanceOf(operator), {
      balance_cents: 0,
      balance_usd: '$0.00',
      ledger_balance_cents: 0,
      held_cents: 0,
      receivable_cents: 0,
      available_cents: 0,
      reserved_cents: 0,
      remainders: [],
    });
    assert.deepEqual(
      (await movements(operator.operatorId)).map(({ cents }) => cents),
      [1_000, -400, -300, -300],
    );
    await credit(operator.operatorId, 300);
    await buildInvocation(operator, skillId);
  });

  it('keeps owing what its work was captured for', async () => {
    const { operator, work } = await debtor();
    assertStatus(await act(work[0], { by: provider, what: 'claim' }), 200);
    assertStatus(await act(work[0], { by: provider, what: 'complete', body: { output: { text: 'HELLO' } } }), 200);
    const left = await balanceOf(operator);
    assert.deepEqual([left.balance_cents, left.held_cents, left.receivable_cents], [0, 300, 600]);
  });

  it('is not debited by the platform either, whose refusal says why', async () => {
    const { operator } = await debtor();
    const refused = await platform().post(`/v1/admin/operators/${operator.operatorId}/adjustments`, {
      amount_cents: -1,
      description: 'too much',
    });
    assertProblem(refused, 'BALANCE_TOO_LOW');
    assert.deepEqual([refused.body.balance_cents, refused.body.receivable_cents], [0, 600]);
    assert.match(String(refused.body.detail), /owes 600 cents/);
  });
});
