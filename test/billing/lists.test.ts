import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import type { DifferingPayment } from '../../src/billing/payments/differing/schema.ts';
import type { Dispute } from '../../src/billing/payments/disputes/schema.ts';
import type { Refund } from '../../src/billing/payments/refunds/schema.ts';
import type { Hold, Receivable } from '../../src/billing/wallet/promised/schema.ts';
import type { Balance } from '../../src/billing/wallet/schema.ts';
import { sql } from '../../src/database/pool.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  credit,
  type TestOperator,
} from '../support/factories.ts';
import { disputeObject, paymentEventBody } from '../support/payment-webhooks.ts';
import { anonymous, assertProblem, assertStatus, database, type Requester } from '../support/service.ts';
import { hangingRefund } from './cases/support.ts';
import { refundedThere } from './payments/local-refunds.ts';
import { beginTopUp, buildTopUp, post, refundOf, topUpEvent, topUpRow } from './payments/support.ts';

interface Lists {
  refunds: Refund[];
  holds: Hold[];
  receivables: Receivable[];
  disputes: Dispute[];
  differing_payments: DifferingPayment[];
}

const pathOf = (name: keyof Lists): string => `/v1/billing/${name.replace('_', '-')}`;

/** All items of a list, read a page of one after the other. */
async function listed<Name extends keyof Lists>(operator: Requester, name: Name): Promise<Lists[Name][number][]> {
  const items: Lists[Name][number][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: Record<Name, Lists[Name]> & { next_cursor: string | null } = assertStatus(
      await operator.get<Record<Name, Lists[Name]> & { next_cursor: string | null }>(`${pathOf(name)}?limit=1${query}`),
      200,
    );
    items.push(...page[name]);
    cursor = page.next_cursor;
  }
  return items;
}

const paymentOf = async (topUpId: string): Promise<string> => (await topUpRow(topUpId)).payment_id ?? '';

const dispute = async (topUpId: string, cents: number): Promise<string> => {
  const id = `dp_${topUpId}`;
  const about = disputeObject({ id, paymentId: await paymentOf(topUpId), amountCents: cents });
  await post(paymentEventBody('charge.dispute.created', about));
  return id;
};

describe('The parts of a wallet can be listed', function () {
  this.timeout(400_000);
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  after(async () => assertLedger(await database()));

  const names = ['refunds', 'holds', 'receivables', 'disputes', 'differing_payments'] as const;
  for (const name of names) {
    it(`${name}: requires authentication, and is read by members and agents`, async () => {
      assertProblem(await anonymous().get(pathOf(name)), 'UNAUTHENTICATED');
      const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
      for (const reader of [await buildMemberKey(operator), agentKey])
        assertStatus(await reader.get(pathOf(name)), 200);
      assertProblem(await operator.get(`${pathOf(name)}?cursor=none`), 'INVALID_CURSOR');
    });
  }

  it('holds: what is held of the wallet, and for what, to the sum of held_cents', async () => {
    const topUp = await buildTopUp(operator, 1_000);
    await credit(operator.operatorId, 100);
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 45 });
    const { id: invocation } = await buildInvocation(operator, skill.id);
    const refund = await hangingRefund(operator, topUp.transactionId);
    const holds = await listed(operator, 'holds');
    assert.deepEqual(
      holds.map(({ amount_cents, invocation_id, refund_id, model_call_id }) => [
        amount_cents,
        invocation_id,
        refund_id,
        model_call_id,
      ]),
      [
        [1_000, null, refund, null],
        [45, invocation, null, null],
      ],
    );
    const { held_cents: held } = assertStatus(await operator.get<Balance>('/v1/billing/balance'), 200);
    assert.equal(held, 1_045);
    assert.deepEqual(
      (await listed(operator, 'refunds')).map(({ refund_id, transaction_id, status }) => [
        refund_id,
        transaction_id,
        status,
      ]),
      [[refund, topUp.transactionId, 'pending']],
    );
  });

  it('refunds: the newest first, and no other operator’s', async () => {
    const payer = await buildOperator();
    const [first, second] = [await buildTopUp(payer), await buildTopUp(payer)];
    const refunds = [await refundOf(payer, first.transactionId), await refundOf(payer, second.transactionId)];
    assert.deepEqual(await listed(payer, 'refunds'), refunds.toReversed());
  });

  it('disputes and receivables: which top-up, what was taken and what is owed', async () => {
    const payer = await buildOperator();
    const [disputed, refunded] = [await buildTopUp(payer, 1_000), await buildTopUp(payer, 1_000)];
    await credit(payer.operatorId, -1_800);
    const id = await dispute(disputed.id, 1_000);
    await refundedThere(await paymentOf(refunded.id), 400);
    const topUp = (of: typeof disputed) => ({ id: of.id, transaction_id: of.transactionId });
    const disputes = await listed(payer, 'disputes');
    assert.deepEqual(
      disputes.map(({ reported_at: _reportedAt, ...rest }) => rest),
      [
        {
          id,
          status: 'needs_response',
          amount_cents: 1_000,
          taken_cents: 1_000,
          top_up: topUp(disputed),
          subscription_id: null,
        },
      ],
    );
    await credit(payer.operatorId, 850);
    const receivables = await listed(payer, 'receivables');
    assert.deepEqual(
      receivables.map(({ id: _id, created_at: _createdAt, ...rest }) => rest),
      [
        { amount_cents: 400, paid_cents: 50, owed_cents: 350, top_up: topUp(refunded), dispute: null },
        {
          amount_cents: 800,
          paid_cents: 800,
          owed_cents: 0,
          top_up: topUp(disputed),
          dispute: { id, status: 'needs_response' },
        },
      ],
    );
    const balance = assertStatus(await payer.get<Balance>('/v1/billing/balance'), 200);
    assert.equal(balance.receivable_cents, 350);
    await (
      await database()
    ).query(sql.unsafe`
      update receivables set created_at = date_trunc('seconds', created_at) + case when paid_cents < amount_cents then interval '1 us' else interval '2 us' end
      where operator_id = ${payer.operatorId}`);
    assert.equal((await listed(payer, 'receivables')).length, 2, 'of one millisecond');
  });

  it('differing payments: what was paid and not credited', async () => {
    const payer = await buildOperator();
    const topUp = await beginTopUp(payer, 1_000);
    await post(topUpEvent(topUp, undefined, { amount_total: 900 }));
    const [payment, ...others] = await listed(payer, 'differing_payments');
    assert.deepEqual(
      [
        payment?.top_up_id,
        payment?.differs,
        payment?.amount_cents,
        payment?.currency,
        payment?.status,
        payment?.decided_at,
      ],
      [topUp.id, 'amount', 900, 'usd', 'open', null],
    );
    assert.deepEqual(others, []);
    for (const name of names) assert.deepEqual(await listed(await buildOperator(), name), [], name);
  });
});
