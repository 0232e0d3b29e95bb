import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { postApproved } from '../governance/support.ts';
import { buildInvocation, buildOperator, buildSkill, credit, type TestOperator } from '../support/factories.ts';
import { blockOf, paste, PATIENCE_MS } from '../support/pasted.ts';
import { disputeObject, paymentEventBody } from '../support/payment-webhooks.ts';
import { buildPerson } from '../support/people.ts';
import { assertStatus, database, service, type Requester } from '../support/service.ts';
import { hangingRefund, onlyCase } from './cases/support.ts';
import { charge } from './ledger/ledger-world.ts';
import { refundedThere, reportThere } from './payments/local-refunds.ts';
import { beginTopUp, buildTopUp, post, refundOf, topUpEvent, topUpRow } from './payments/support.ts';
import { call, sealedCall } from './statement/statements.ts';

const paymentOf = async (topUpId: string): Promise<string> => (await topUpRow(topUpId)).payment_id ?? '';

interface Moment {
  cents: number;
  status: string;
  minute: number;
}

async function disputed(topUpId: string, id: string, { cents, status, minute }: Moment): Promise<void> {
  const about = disputeObject({ id, paymentId: await paymentOf(topUpId), amountCents: cents }, { status });
  const createdAt = new Date(Date.now() - 3_600_000 + minute * 60_000);
  await post(paymentEventBody('charge.dispute.updated', about, { createdAt }));
}

/** Work that was ordered from a new publisher for 45 cents, and how it ends. */
async function work(buyer: TestOperator, end: 'completed' | 'cancelled' | 'open'): Promise<void> {
  const publisher = await buildOperator();
  const skill = await buildSkill(publisher, { price_per_invocation: 45 });
  const { id } = await buildInvocation(buyer, skill.id);
  const path = `/v1/skills/invocations/${id}`;
  if (end === 'cancelled') assertStatus(await buyer.post(`${path}/cancel`), 200);
  if (end !== 'completed') return;
  assertStatus(await publisher.post(`${path}/claim`), 200);
  assertStatus(await publisher.post(`${path}/complete`, { output: { text: 'HELLO' } }), 200);
}

/** A payment of $9 for a checkout of $10, which a person takes. */
async function paidOtherwise(buyer: TestOperator, person: Requester): Promise<void> {
  await post(topUpEvent(await beginTopUp(buyer, 1_000), undefined, { amount_total: 900 }));
  const { id } = await onlyCase(buyer);
  const body = { reason: 'The operator wants to keep it.' };
  assertStatus(await postApproved(person, `/v1/admin/billing/differing-payments/${id}/take`, { body }), 200);
}

/** A refund of ours that the bank sends back. */
async function sentBack(buyer: TestOperator): Promise<void> {
  const topUp = await buildTopUp(buyer, 1_000);
  await refundOf(buyer, topUp.transactionId);
  const id = await (
    await database()
  ).oneFirst(
    sql.type(z.object({ id: z.string() }))`select id from local_refunds where key = ${`refund:${topUp.transactionId}`}`,
  );
  await reportThere(await paymentOf(topUp.id), { id, status: 'failed' });
}

describe('docs/billing.md accounts for a wallet', function () {
  this.timeout(PATIENCE_MS);
  after(async () => assertLedger(await database()));

  it('of more than twenty different events by its reads alone', async () => {
    const person = await buildPerson({ operatorId: 'op_platform' });
    const buyer = await buildOperator();
    const { operatorId } = buyer;
    const db = await database();
    const [won = '', open = ''] = [newId('dlv'), newId('dlv')].map((id) => `dp_${id.slice(4)}`).toSorted();

    const first = await buildTopUp(buyer, 2_000);
    await credit(operatorId, 300);
    await work(buyer, 'completed');
    await work(buyer, 'cancelled');
    await sealedCall(db, operatorId, { costMicrocents: 869_565 });
    const gateway = { state: 'wallet_price', meter: 'llm_gateway', costMicrocents: 6_666_666 } as const;
    await call(db, operatorId, { price: gateway });
    await charge(db, operatorId, 1_000_000);
    await credit(operatorId, -52);
    await paidOtherwise(buyer, person);
    await sentBack(buyer);
    const third = await buildTopUp(buyer, 1_000);
    const there = await refundedThere(await paymentOf(third.id), 400);
    await reportThere(await paymentOf(third.id), { id: there, status: 'failed' });
    await disputed(first.id, won, { cents: 2_000, status: 'needs_response', minute: 0 });
    await disputed(first.id, won, { cents: 2_000, status: 'won', minute: 1 });
    await credit(operatorId, -4_600);
    await disputed(third.id, open, { cents: 1_000, status: 'needs_response', minute: 2 });
    await credit(operatorId, 300);
    const body = { reason: 'The card was stolen.' };
    assertStatus(await postApproved(person, `/v1/admin/billing/receivables/dispute:${open}:1/close`, { body }), 200);
    await buildTopUp(buyer, 1_000);
    const last = await buildTopUp(buyer, 1_000);
    await work(buyer, 'open');
    await hangingRefund(buyer, last.transactionId);
    await sealedCall(db, operatorId, { costMicrocents: 100_000 });

    const account = await blockOf('docs/billing.md', 'account');
    const lines = await paste([account], { env: { API: service().baseUrl, BUYER: buyer.key ?? '' } });
    assert(lines.length > 20 && !lines.some((line) => line.includes('WRONG')));
  });
});
