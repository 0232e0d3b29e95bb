import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertLedger } from '../../../src/billing/index.ts';
import { newId } from '../../../src/ids/ids.ts';
import { buildInvocation, buildOperator, buildSkill, credit, type TestOperator } from '../../support/factories.ts';
import { disputeObject, paymentEventBody, refundedCharge, refundObject } from '../../support/payment-webhooks.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import {
  audited,
  balanceOf,
  beginTopUp,
  buildTopUp,
  movements,
  outcomeOf,
  post,
  refundOf,
  topUpEvent,
  topUpRow,
} from '../payments/support.ts';

const refunded = (paymentId: string, cents: number, event: { id?: string; createdAt?: Date } = {}): string =>
  paymentEventBody('charge.refunded', refundedCharge(paymentId, 1_000, cents), event);

const disputed = (id: string, paymentId: string, outcome: 'opened' | 'won' | 'lost', cents = 1_000): string =>
  outcome === 'opened'
    ? paymentEventBody('charge.dispute.created', disputeObject(id, paymentId, cents))
    : paymentEventBody('charge.dispute.closed', disputeObject(id, paymentId, cents, { status: outcome }));

/** An operator with a paid top-up of $10, some of it spent. */
async function payer(
  spent = 0,
): Promise<{ operator: TestOperator; topUpId: string; transactionId: string; paymentId: string }> {
  const operator = await buildOperator();
  const { id: topUpId, transactionId } = await buildTopUp(operator);
  if (spent > 0) await spend(operator, spent);
  return { operator, topUpId, transactionId, paymentId: (await topUpRow(topUpId)).payment_id ?? '' };
}

async function spend(operator: TestOperator, cents: number): Promise<void> {
  const provider = await buildOperator();
  const skill = await buildSkill(provider, { price_per_invocation: cents });
  const { id } = await buildInvocation(operator, skill.id);
  assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
  assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'HELLO' } }), 200);
}

/** A refund of ours that has succeeded. @returns its id */
async function refunding(operator: TestOperator, transactionId: string): Promise<string> {
  const { refund_id: id, status } = await refundOf(operator, transactionId);
  assert.equal(status, 'succeeded');
  return id;
}

const owed = async (operator: TestOperator): Promise<unknown> => {
  const skill = await buildSkill(await buildOperator(), { price_per_invocation: 1 });
  const reply = await operator.post(`/v1/skills/${skill.id}/invoke`, { input: { text: 'hello' } });
  if (reply.status === 201) return 0;
  assertProblem(reply, 'INSUFFICIENT_CREDITS');
  return reply.body.receivable_cents;
};

describe('A payment that was refunded at the provider, not by us', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  it('is taken from the wallet, each part once', async () => {
    const { operator, paymentId } = await payer();
    const event = refunded(paymentId, 300);
    await post(event);
    await post(event);
    assert.equal(await balanceOf(operator), 700);
    await post(refunded(paymentId, 1_000));
    await post(refunded(paymentId, 300));
    assert.equal(await balanceOf(operator), 0);
    assert.deepEqual(
      (await movements(operator.operatorId)).map(({ cents }) => cents),
      [1_000, -300, -700],
    );
  });

  it('leaves a debt where the wallet has less, and is not refunded by us as well', async () => {
    const { operator, paymentId, transactionId } = await payer(400);
    await post(refunded(paymentId, 1_000));
    assert.equal(await balanceOf(operator), 0);
    assert.equal(await owed(operator), 400);
    await credit(operator.operatorId, 5_000);
    assert.equal(await balanceOf(operator), 4_600);
    assertProblem(await operator.post(`/v1/billing/refund/${transactionId}`), 'ALREADY_REFUNDED');
  });

  it('may be reported before the payment itself', async () => {
    const operator = await buildOperator();
    const topUp = await beginTopUp(operator);
    const paymentId = `pi_${topUp.id}`;
    const eventId = newId('evt');
    await post(refunded(paymentId, 1_000, { id: eventId }));
    assert.equal(await outcomeOf(eventId), 'kept');
    await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
    assert.deepEqual(
      (await movements(operator.operatorId)).map(({ cents }) => cents),
      [1_000, -1_000],
    );
  });

  it('is distinguished from a refund of ours', async () => {
    const { operator, paymentId, transactionId } = await payer();
    await refunding(operator, transactionId);
    await post(refunded(paymentId, 1_000));
    await credit(operator.operatorId, 50);
    assert.equal(await balanceOf(operator), 50);
  });

  it('is recorded for a person when the bank sends it back', async () => {
    const { operator, paymentId } = await payer();
    const outcomeAfter = async (status: string): Promise<string | null> => {
      const id = newId('evt');
      await post(paymentEventBody('refund.updated', refundObject('re_by_hand', paymentId, status), { id }));
      return outcomeOf(id);
    };
    assert.equal(await outcomeAfter('failed'), 'not_ours');
    await post(refunded(paymentId, 1_000));
    assert.deepEqual([await outcomeAfter('pending'), await outcomeAfter('failed')], ['not_ours', 'came_back']);
    assert.equal(await balanceOf(operator), 0);
  });

  it('in another currency changes nothing, and is recorded for a person where the payment is ours; the same holds for a dispute', async () => {
    const { operator, paymentId } = await payer();
    const outcomeAfter = async (payment: string): Promise<(string | null)[]> => {
      const [refund, dispute] = [newId('evt'), newId('evt')];
      await post(
        paymentEventBody('charge.refunded', refundedCharge(payment, 1_000, 900, { currency: 'eur' }), { id: refund }),
      );
      await post(
        paymentEventBody('charge.dispute.created', disputeObject(`dp_${dispute}`, payment, 900, { currency: 'eur' }), {
          id: dispute,
        }),
      );
      return Promise.all([refund, dispute].map(outcomeOf));
    };
    assert.deepEqual(
      [await outcomeAfter(paymentId), await outcomeAfter('pi_of_a_shop')],
      [
        ['differs', 'differs'],
        ['ignored', 'ignored'],
      ],
    );
    assert.equal(await balanceOf(operator), 1_000);
  });

  it('changes nothing where the payment was none of ours', async () => {
    const eventId = newId('evt');
    await post(refunded('pi_of_a_shop', 1_000, { id: eventId }));
    assert.equal(await outcomeOf(eventId), 'kept');
  });
});

describe('A refund of ours', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  it('that comes back from the bank is in the wallet again, and may be requested again', async () => {
    const { operator, paymentId, transactionId } = await payer();
    const id = await refunding(operator, transactionId);
    await post(refunded(paymentId, 1_000));
    const providerRefund = await providerRefundOf(id);
    const event = paymentEventBody('refund.failed', refundObject(providerRefund, paymentId, 'failed'));
    await post(event);
    await post(event);
    assert.equal(await balanceOf(operator), 1_000);
    assert.equal(assertStatus(await operator.get(`/v1/billing/refunds/${id}`), 200).status, 'failed');
    assert.deepEqual(await audited(id), ['refund.begun', 'refund.succeeded', 'refund.failed']);
    await post(paymentEventBody('refund.updated', refundObject(providerRefund, paymentId, 'succeeded')));
    assert.equal(await balanceOf(operator), 1_000);
  });

  it('that came back costs nothing when the sum that counted it arrives late or again; what was refunded since then does', async () => {
    const at = (minute: number): Date => new Date(Date.now() - 3_600_000 + minute * 60_000);
    const cameBack = async ({ known }: { known: boolean }): Promise<{ operator: TestOperator; paymentId: string }> => {
      const { operator, paymentId, transactionId } = await payer();
      const id = await refunding(operator, transactionId);
      if (known) await post(refunded(paymentId, 1_000, { createdAt: at(0) }));
      await post(
        paymentEventBody('refund.failed', refundObject(await providerRefundOf(id), paymentId, 'failed'), {
          createdAt: at(1),
        }),
      );
      return { operator, paymentId };
    };
    for (const known of [true, false]) {
      const { operator, paymentId } = await cameBack({ known });
      await post(refunded(paymentId, 1_000, { createdAt: at(0) }));
      assert.equal(await balanceOf(operator), 1_000);
      await post(refunded(paymentId, 400, { createdAt: at(2) }));
      assert.equal(await balanceOf(operator), 600);
    }
  });

  const providerRefundOf = async (id: string): Promise<string> => {
    const { sql } = await import('../../../src/database/pool.ts');
    return String(
      await (await database()).oneFirst(sql.unsafe`select provider_refund_id from refunds where id = ${id}`),
    );
  };
});

describe('A dispute', function () {
  this.timeout(240_000);
  after(async () => assertLedger(await database()));

  it('takes its amount; what the wallet does not have is owed and paid by the next credit', async () => {
    const { operator, topUpId, paymentId, transactionId } = await payer(600);
    const id = newId('evt').replace('evt', 'dp');
    await post(disputed(id, paymentId, 'opened'));
    await post(disputed(id, paymentId, 'opened'));
    assert.equal(await balanceOf(operator), 0);
    assert.equal(await owed(operator), 600);
    assertProblem(await operator.post(`/v1/billing/refund/${transactionId}`), 'NOT_REFUNDABLE');
    await post(disputed(id, paymentId, 'lost'));
    await buildTopUp(operator, 2_000);
    assert.equal(await balanceOf(operator), 1_400);
    assert.equal(await owed(operator), 0);
    assert.deepEqual((await audited(topUpId)).slice(2), ['dispute.opened', 'dispute.opened', 'dispute.lost']);
  });

  it('that was won gives back what it took, and cancels what is still owed', async () => {
    const { operator, paymentId } = await payer(600);
    const id = `dp_${newId('evt')}`;
    await post(disputed(id, paymentId, 'opened'));
    await credit(operator.operatorId, 100); // all of it goes to the debt
    assert.equal(await balanceOf(operator), 0);
    await post(disputed(id, paymentId, 'won'));
    await post(disputed(id, paymentId, 'opened'));
    assert.equal(await balanceOf(operator), 500);
    assert.equal(await owed(operator), 0);
  });

  it('may be reported in any order, also before the payment, and ends the same', async () => {
    const outcomes = fc.array(fc.constantFrom('paid', 'opened', 'end', 'refunded'), { minLength: 1, maxLength: 8 });
    const play = async (sent: string[], end: 'won' | 'lost'): Promise<void> => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      const [paymentId, id] = [`pi_${topUp.id}`, `dp_${topUp.id}`];
      for (const what of [...sent, 'paid']) {
        if (what === 'paid') await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
        else if (what === 'refunded') await post(refunded(paymentId, 200));
        else await post(disputed(id, paymentId, what === 'opened' ? 'opened' : end, 800));
        assert((await balanceOf(operator)) >= 0);
      }
      const taken = sent.includes('end') ? (end === 'lost' ? 800 : 0) : sent.includes('opened') ? 800 : 0;
      assert.equal(await balanceOf(operator), 1_000 - taken - (sent.includes('refunded') ? 200 : 0));
    };
    await fc.assert(fc.asyncProperty(outcomes, fc.constantFrom('won' as const, 'lost' as const), play), {
      numRuns: 30,
    });
  });
});
