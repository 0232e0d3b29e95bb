import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { roundsOf } from '../../support/cases.ts';
import { buildInvocation, buildOperator, buildSkill, credit, type TestOperator } from '../../support/factories.ts';
import {
  balanceTransaction,
  disputeObject,
  paymentEventBody,
  refundedCharge,
  refundObject,
} from '../../support/payment-webhooks.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { refundedThere, refundThere, reportRefunds, reportThere, untilRead } from '../payments/local-refunds.ts';
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

/** Minutes after the beginning of a story of an hour, which is over. */
const at = (minute: number): Date => new Date(Date.now() - 3_600_000 + minute * 60_000);

/** An event about a dispute that lists no balance transactions, as those of old API versions. */
const disputed = ({
  id,
  paymentId,
  outcome,
  cents = 1_000,
}: {
  id: string;
  paymentId: string;
  outcome: 'opened' | 'won' | 'lost';
  cents?: number;
}): string =>
  outcome === 'opened'
    ? paymentEventBody('charge.dispute.created', disputeObject({ id, paymentId, amountCents: cents }), {
        createdAt: at(0),
      })
    : paymentEventBody(
        'charge.dispute.closed',
        disputeObject({ id, paymentId, amountCents: cents }, { status: outcome }),
        {
          createdAt: at(1),
        },
      );

/** A dispute of $10 as Stripe has it in one minute of its story. */
interface Moment {
  minute: number;
  type: 'created' | 'updated' | 'closed' | 'funds_withdrawn' | 'funds_reinstated';
  status: string;
  /** Everything that was withdrawn (below zero) and reinstated so far, in this order. */
  moved: number[];
}

const momentOf = (
  { id, paymentId }: { id: string; paymentId: string },
  { minute, type, status, moved }: Moment,
  over: Record<string, unknown> = {},
): string =>
  paymentEventBody(
    `charge.dispute.${type}`,
    disputeObject(
      { id, paymentId, amountCents: 1_000 },
      {
        status,
        balance_transactions: moved.map((cents, index) => balanceTransaction(`txn_${id}_${index}`, cents)),
        ...over,
      },
    ),
    { createdAt: at(minute) },
  );

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
  return reply.body.receivable_cents ?? 0; // an empty wallet that owes nothing is refused as well
};

describe('A payment that was refunded at the provider, not by us', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  it('is taken from the wallet, each part once', async () => {
    const { operator, paymentId } = await payer();
    await refundedThere(paymentId, 300);
    await reportRefunds(paymentId);
    assert.equal(await balanceOf(operator), 700);
    await refundedThere(paymentId, 700);
    await reportRefunds(paymentId);
    assert.equal(await balanceOf(operator), 0);
    assert.deepEqual(
      (await movements(operator.operatorId)).map(({ cents }) => cents),
      [1_000, -300, -700],
    );
  });

  it('leaves the rest of the top-up to be refunded by us, once', async () => {
    const { operator, paymentId, transactionId } = await payer();
    await refundedThere(paymentId, 300);
    const { refund_id: id, amount_cents: cents, status } = await refundOf(operator, transactionId);
    assert.deepEqual([cents, status], [700, 'succeeded']);
    assert.equal(await balanceOf(operator), 0);
    await reportRefunds(paymentId);
    assert.equal(await owed(operator), 0);
    assertProblem(await operator.post(`/v1/billing/refund/${transactionId}`), 'ALREADY_REFUNDED');
    assert.match(id, /^rfd_/);
  });

  it('leaves a debt where the wallet has less, and is not refunded by us as well', async () => {
    const { operator, paymentId, transactionId } = await payer(400);
    await refundedThere(paymentId, 1_000);
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
    await refundThere(paymentId, 1_000);
    assert.equal(await reportRefunds(paymentId), 'kept');
    await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
    await untilRead(paymentId);
    assert.deepEqual(
      (await movements(operator.operatorId)).map(({ cents }) => cents),
      [1_000, -1_000],
    );
  });

  it('is in the wallet again when the bank sends it back, once, and cancels first what is owed of it', async () => {
    const { operator, paymentId } = await payer(400);
    const id = await refundedThere(paymentId, 1_000);
    assert.equal(await owed(operator), 400);
    for (let times = 0; times < 2; times += 1) await reportThere(paymentId, { id, status: 'failed' });
    assert.equal(await balanceOf(operator), 600);
    await refundedThere(paymentId, 200);
    assert.equal(await balanceOf(operator), 400);
  });

  it('is reported by any event about a refund or the charge, each of which has the list read', async () => {
    const { operator, paymentId } = await payer();
    const refund = refundObject({ id: 're_any', paymentId, status: 'succeeded' }, { amount: 100 });
    const events: [type: string, object: Record<string, unknown>][] = [
      ['refund.created', refund],
      ['refund.updated', refund],
      ['refund.failed', { ...refund, status: 'failed' }],
      ['charge.refunded', refundedCharge({ paymentId, amountCents: 1_000, refundedCents: 1 })],
    ];
    for (const [index, [type, object]] of events.entries()) {
      await refundThere(paymentId, 100);
      await post(paymentEventBody(type, object));
      await untilRead(paymentId);
      assert.equal(await balanceOf(operator), 1_000 - 100 * (index + 1), type);
    }
  });

  it('in another currency changes nothing: a dispute is recorded for a person where the payment is ours', async () => {
    const { operator, paymentId } = await payer();
    const outcomeAfter = async (payment: string): Promise<string | null> => {
      const id = newId('evt');
      const object = disputeObject({ id: `dp_${id}`, paymentId: payment, amountCents: 900 }, { currency: 'eur' });
      await post(paymentEventBody('charge.dispute.created', object, { id }));
      return outcomeOf(id);
    };
    assert.deepEqual([await outcomeAfter(paymentId), await outcomeAfter('pi_of_a_shop')], ['differs', 'ignored']);
    assert.equal(await balanceOf(operator), 1_000);
  });

  it('changes nothing where the payment was none of ours', async () => {
    assert.equal(await reportRefunds('pi_of_a_shop'), 'kept');
  });
});

describe('A refund of ours', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  it('that comes back from the bank is in the wallet again, and may be requested again', async () => {
    const { operator, paymentId, transactionId } = await payer();
    const id = await refunding(operator, transactionId);
    await reportRefunds(paymentId);
    for (let times = 0; times < 2; times += 1)
      await reportThere(paymentId, { id: await thereOf(id), status: 'failed' });
    assert.equal(await balanceOf(operator), 1_000);
    assert.equal(assertStatus(await operator.get(`/v1/billing/refunds/${id}`), 200).status, 'failed');
    assert.deepEqual(await audited(id), ['refund.begun', 'refund.succeeded', 'refund.failed']);
    await refundedThere(paymentId, 400);
    assert.equal(await balanceOf(operator), 600);
    assert.equal((await refundOf(operator, transactionId)).amount_cents, 600);
  });

  const thereOf = async (id: string): Promise<string> =>
    (await database()).oneFirst(sql.type(z.object({ id: z.string() }))`
      select id from provider_refunds where refund_id = ${id}`);
});

describe('A dispute', function () {
  this.timeout(240_000);
  after(async () => assertLedger(await database()));

  it('takes its amount; what the wallet does not have is owed and paid by the next credit', async () => {
    const { operator, topUpId, paymentId, transactionId } = await payer(600);
    const id = newId('evt').replace('evt', 'dp');
    await post(disputed({ id, paymentId, outcome: 'opened' }));
    await post(disputed({ id, paymentId, outcome: 'opened' }));
    assert.equal(await balanceOf(operator), 0);
    assert.equal(await owed(operator), 600);
    assertProblem(await operator.post(`/v1/billing/refund/${transactionId}`), 'NOT_REFUNDABLE');
    await post(disputed({ id, paymentId, outcome: 'lost' }));
    await buildTopUp(operator, 2_000);
    assert.equal(await balanceOf(operator), 1_400);
    assert.equal(await owed(operator), 0);
    const words = ['needs_response', 'needs_response', 'lost'].map((status) => `dispute.${status}`);
    assert.deepEqual((await audited(topUpId)).slice(2), words);
  });

  const opened: Moment = { minute: 0, type: 'created', status: 'needs_response', moved: [] };
  const withdrawn: Moment = { minute: 1, type: 'funds_withdrawn', status: 'needs_response', moved: [-1_000] };
  const lost: Moment = { minute: 2, type: 'closed', status: 'lost', moved: [-1_000] };
  const wonAtLast: Moment = { minute: 2, type: 'closed', status: 'won', moved: [-1_000] };
  const reinstated: Moment = { minute: 3, type: 'funds_reinstated', status: 'won', moved: [-1_000, 1_000] };
  /** Stories of a dispute about a top-up of $10: what is left in the wallet at the end. */
  const stories: Record<string, { left: number; moments: Moment[] }> = {
    'takes nothing before money was withdrawn': { left: 1_000, moments: [opened] },
    'takes what was withdrawn': { left: 0, moments: [opened, withdrawn] },
    'takes all of it when it is lost': { left: 0, moments: [opened, withdrawn, lost] },
    'takes nothing as soon as it is won, and gives back once': {
      left: 1_000,
      moments: [opened, withdrawn, wonAtLast, reinstated],
    },
    'of a payment that was refunded in part gives back that part, and keeps the rest': {
      left: 300,
      moments: [withdrawn, { minute: 2, type: 'funds_reinstated', status: 'needs_response', moved: [-1_000, 300] }],
    },
    'that is lost after a part was reinstated keeps the rest': {
      left: 300,
      moments: [
        withdrawn,
        { minute: 2, type: 'funds_reinstated', status: 'under_review', moved: [-1_000, 300] },
        { minute: 3, type: 'closed', status: 'lost', moved: [-1_000, 300] },
      ],
    },
    'that is won for a part keeps what the bank kept': {
      left: 600,
      moments: [withdrawn, wonAtLast, { minute: 3, type: 'funds_reinstated', status: 'won', moved: [-1_000, 600] }],
    },
    'that was won on appeal gives back what losing took': {
      left: 1_000,
      moments: [
        withdrawn,
        lost,
        { minute: 3, type: 'updated', status: 'appeal_needs_response', moved: [-1_000] },
        { minute: 4, type: 'updated', status: 'appeal_under_review', moved: [-1_000] },
        { minute: 5, type: 'closed', status: 'won', moved: [-1_000] },
        { minute: 6, type: 'funds_reinstated', status: 'won', moved: [-1_000, 1_000] },
      ],
    },
    'that was won and then lost on the appeal of the bank takes it again': {
      left: 0,
      moments: [
        withdrawn,
        reinstated,
        { minute: 4, type: 'funds_withdrawn', status: 'under_review', moved: [-1_000, 1_000, -1_000] },
        { minute: 5, type: 'closed', status: 'lost', moved: [-1_000, 1_000, -1_000] },
      ],
    },
    'that was prevented takes nothing': {
      left: 1_000,
      moments: [{ minute: 0, type: 'created', status: 'prevented', moved: [] }],
    },
    'that is an inquiry takes nothing, and takes it as soon as it is a dispute': {
      left: 0,
      moments: [
        { minute: 0, type: 'created', status: 'warning_needs_response', moved: [] },
        { minute: 0, type: 'updated', status: 'warning_under_review', moved: [] },
        withdrawn,
      ],
    },
    'that stayed an inquiry takes nothing': {
      left: 1_000,
      moments: [
        { minute: 0, type: 'created', status: 'warning_needs_response', moved: [] },
        { minute: 1, type: 'closed', status: 'warning_closed', moved: [] },
      ],
    },
  };
  for (const [what, { left, moments }] of Object.entries(stories)) {
    it(`${what}, in any order of the reports`, async () => {
      const orders = [moments, moments.toReversed(), [...moments, ...moments]];
      for (const order of orders) {
        const { operator, paymentId } = await payer();
        const id = `dp_${newId('evt')}`;
        for (const moment of order) await post(momentOf({ id, paymentId }, moment));
        assert.equal(await balanceOf(operator), left);
        assert.equal(await owed(operator), 0);
      }
    });
  }

  it('of an account that is settled in another currency counts in proportion to what was withdrawn first', async () => {
    const { operator, paymentId } = await payer();
    const id = `dp_${newId('evt')}`;
    const moved = (...cents: number[]) => ({
      balance_transactions: cents.map((amount, index) =>
        balanceTransaction(`txn_${id}_${index}`, amount, { currency: 'eur', created: 1_800_000_000 + index }),
      ),
    });
    await post(momentOf({ id, paymentId }, withdrawn, moved(-920)));
    assert.equal(await balanceOf(operator), 0);
    await post(momentOf({ id, paymentId }, reinstated, moved(-920, 460)));
    assert.equal(await balanceOf(operator), 500);
  });

  it('with a status that we do not know counts what was moved, and is recorded for a person', async () => {
    const { operator, paymentId } = await payer();
    const [id, eventId] = [`dp_${newId('evt')}`, newId('evt')];
    const strange = { status: 'escalated', balance_transactions: [balanceTransaction(`txn_${id}`, -400)] };
    await post(
      paymentEventBody('charge.dispute.updated', disputeObject({ id, paymentId, amountCents: 1_000 }, strange), {
        id: eventId,
      }),
    );
    assert.equal(await outcomeOf(eventId), 'unlisted');
    assert.equal(await balanceOf(operator), 600);
  });

  it('that was won gives back what it took, and cancels what is still owed', async () => {
    const { operator, paymentId } = await payer(600);
    const id = `dp_${newId('evt')}`;
    await post(disputed({ id, paymentId, outcome: 'opened' }));
    await credit(operator.operatorId, 100); // all of it goes to the debt
    assert.equal(await balanceOf(operator), 0);
    await post(disputed({ id, paymentId, outcome: 'won' }));
    await post(disputed({ id, paymentId, outcome: 'opened' }));
    assert.equal(await balanceOf(operator), 500);
    assert.equal(await owed(operator), 0);
  });

  it('may be reported in any order, also before the payment, and ends the same', async () => {
    const outcomes = fc.array(fc.constantFrom('paid', 'opened', 'end', 'refunded'), { minLength: 1, maxLength: 8 });
    const play = async (sent: string[], end: 'won' | 'lost'): Promise<void> => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      const [paymentId, id] = [`pi_${topUp.id}`, `dp_${topUp.id}`];
      if (sent.includes('refunded')) await refundThere(paymentId, 200);
      for (const what of [...sent, 'paid']) {
        if (what === 'paid') await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
        else if (what === 'refunded') await reportRefunds(paymentId);
        else await post(disputed({ id, paymentId, outcome: what === 'opened' ? 'opened' : end, cents: 800 }));
        assert((await balanceOf(operator)) >= 0);
      }
      await untilRead(paymentId);
      const taken = sent.includes('end') ? (end === 'lost' ? 800 : 0) : sent.includes('opened') ? 800 : 0;
      assert.equal(await balanceOf(operator), 1_000 - taken - (sent.includes('refunded') ? 200 : 0));
    };
    await fc.assert(fc.asyncProperty(outcomes, fc.constantFrom('won' as const, 'lost' as const), play), {
      numRuns: roundsOf(30, 8),
    });
  });
});
