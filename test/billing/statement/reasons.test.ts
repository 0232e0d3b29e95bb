import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import type { WalletTransaction } from '../../../src/billing/wallet/schema.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { disputeObject, paymentEventBody } from '../../support/payment-webhooks.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus, database } from '../../support/service.ts';
import { postApproved } from '../../governance/support.ts';
import { refundedThere, reportThere } from '../payments/local-refunds.ts';
import { buildTopUp, post, refundOf, topUpRow } from '../payments/support.ts';
import { address, statementOf } from './statements.ts';

const paymentOf = async (topUpId: string): Promise<string> => (await topUpRow(topUpId)).payment_id ?? '';

/** A dispute as it stands; each status is newer than the one before. */
const disputed = (
  id: string,
  { paymentId, cents, status = 'needs_response' }: { paymentId: string; cents: number; status?: string },
): Promise<unknown> =>
  post(
    paymentEventBody('charge.dispute.updated', disputeObject({ id, paymentId, amountCents: cents }, { status }), {
      createdAt: new Date(Date.now() + (status === 'needs_response' ? 0 : 60_000)),
    }),
  );

/** The rows of a wallet, oldest first. */
const rowsOf = async (operator: TestOperator): Promise<WalletTransaction[]> =>
  (await statementOf(operator, { limit: 200 })).transactions.toReversed();

const reasonOf = ({ amount_cents: cents, details: { top_up, refund_id, dispute } }: WalletTransaction) => ({
  cents,
  topUp: top_up?.id ?? null,
  refund: refund_id,
  dispute,
});

describe('A row of GET /v1/billing/transactions says what it is for', function () {
  this.timeout(400_000);
  after(async () => assertLedger(await database()));

  it('where two payments of the same sum are disputed, and one of them is won', async () => {
    const operator = await buildOperator();
    const [first, second] = [await buildTopUp(operator, 1_000), await buildTopUp(operator, 1_000)];
    const [dp1, dp2] = [`dp_${first.id}`, `dp_${second.id}`];
    await disputed(dp1, { paymentId: await paymentOf(first.id), cents: 250 });
    await disputed(dp2, { paymentId: await paymentOf(second.id), cents: 250 });
    await disputed(dp2, { paymentId: await paymentOf(second.id), cents: 250, status: 'won' });
    const rows = await rowsOf(operator);
    assert.deepEqual(rows.map(reasonOf), [
      { cents: 1_000, topUp: first.id, refund: null, dispute: null },
      { cents: 1_000, topUp: second.id, refund: null, dispute: null },
      { cents: -250, topUp: first.id, refund: null, dispute: { id: dp1, status: 'needs_response' } },
      { cents: -250, topUp: second.id, refund: null, dispute: { id: dp2, status: 'won' } },
      { cents: 250, topUp: second.id, refund: null, dispute: { id: dp2, status: 'won' } },
    ]);
    assert.deepEqual(rows[0]?.details.top_up, { id: first.id, transaction_id: first.transactionId });
  });

  it('where a top-up is refunded here, at the provider, and one of both comes back', async () => {
    const operator = await buildOperator();
    const [ours, theirs] = [await buildTopUp(operator, 1_000), await buildTopUp(operator, 1_000)];
    const { refund_id: refundId } = await refundOf(operator, ours.transactionId);
    const there = await refundedThere(await paymentOf(theirs.id), 400);
    await reportThere(await paymentOf(theirs.id), { id: there, status: 'failed' });
    assert.deepEqual((await rowsOf(operator)).slice(2).map(reasonOf), [
      { cents: -1_000, topUp: ours.id, refund: refundId, dispute: null },
      { cents: -400, topUp: theirs.id, refund: null, dispute: null },
      { cents: 400, topUp: theirs.id, refund: null, dispute: null },
    ]);
  });

  it('where a debt is paid by a later top-up, and where the platform takes it over', async () => {
    const person = await buildPerson({ operatorId: 'op_platform' });
    const operator = await buildOperator();
    const spent = await buildTopUp(operator, 1_000);
    await credit(operator.operatorId, -1_000);
    const dispute = `dp_${spent.id}`;
    await disputed(dispute, { paymentId: await paymentOf(spent.id), cents: 1_000 });
    await credit(operator.operatorId, 300);
    const receivable = `dispute:${dispute}:1`;
    const body = { reason: 'The card was stolen.' };
    assertStatus(await postApproved(person, `/v1/admin/billing/receivables/${receivable}/close`, { body }), 200);
    const because = { topUp: spent.id, refund: null, dispute: { id: dispute, status: 'needs_response' } };
    assert.deepEqual((await rowsOf(operator)).slice(2).map(reasonOf), [
      { cents: 300, topUp: null, refund: null, dispute: null },
      { cents: -300, ...because },
      { cents: 700, ...because },
      { cents: -700, ...because },
    ]);
  });

  it('with the balance after it, regardless of the filters, as a table too', async () => {
    const operator = await buildOperator({ cents: 500 });
    await credit(operator.operatorId, -30);
    const topUp = await buildTopUp(operator, 1_000);
    await credit(operator.operatorId, -70);
    assert.deepEqual(
      (await rowsOf(operator)).map(({ balance_after_cents: cents }) => cents),
      [500, 470, 1_470, 1_400],
    );
    const { transactions } = await statementOf(operator, { direction: 'in' });
    assert.deepEqual(
      transactions.map(({ balance_after_cents: cents }) => cents),
      [1_470, 500],
    );
    const { text } = await operator.get(address(), { accept: 'text/csv' });
    const [header = '', last = '', before = ''] = text.split('\r\n');
    assert(header.endsWith(',balance_after_cents,top_up_id,refund_id,dispute_id'), header);
    assert(last.endsWith(',1400,,,'), last);
    assert(before.endsWith(`,1470,${topUp.id},,`), before);
  });
});
