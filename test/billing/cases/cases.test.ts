import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql } from '../../../src/database/pool.ts';
import { releaseRefusedRefund } from '../../../src/billing/payments/refunds/queries.ts';
import { endAlarm, raiseAlarm } from '../../../src/billing/cases/queries.ts';
import type { BillingCase, DecidedCase } from '../../../src/billing/cases/schema.ts';
import { newId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { approve, postApproved, refusedWith, withApproval } from '../../governance/support.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { disputeObject, paymentEventBody, refundedCharge } from '../../support/payment-webhooks.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Reply } from '../../support/service.ts';
import { refundedThere, refundThere, reportRefunds, reportThere, untilRead } from '../payments/local-refunds.ts';
import {
  audited,
  balanceOf,
  beginTopUp,
  buildTopUp,
  movements,
  post,
  refundOf,
  topUpEvent,
  topUpRow,
} from '../payments/support.ts';
import { CASES, casesOf, centsOf, hangingRefund, onlyCase, settledRefund, walletOf } from './support.ts';

const reason = 'Looked up at the provider.';

describe('What waits for a person', function () {
  this.timeout(60_000);
  let person: Person;
  before(async () => {
    await buildPerson({ operatorId: 'op_platform' }, 'owner'); // where there are two, one approves what the key requests
    person = await signIn('platform@carnet.invalid'); // of an embedded instance the first owner of the platform
  });
  after(async () => assertLedger(await database()));

  const decide = (path: string, body: object = { reason }): Promise<Reply<DecidedCase>> =>
    postApproved(person, path, { body });

  const settled = (id: string, outcome: string) =>
    decide(`/v1/admin/billing/refunds/${id}/settle`, { outcome, reason });

  const settledByHand = (outcome: 'succeeded' | 'failed', given = {}) => settledRefund(person, outcome, given);

  describe('a refund that hangs', () => {
    it('is listed once it is a day old, with what it holds', async () => {
      const operator = await buildOperator();
      const { transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId);
      const { since, ...rest } = await onlyCase(operator);
      assert(Date.parse(since) < Date.now() - 86_400_000);
      assert.deepEqual(rest, {
        kind: 'refund',
        alarm: null,
        id,
        operator_id: operator.operatorId,
        amount_cents: 1_000,
        currency: 'usd',
        concerns: transactionId,
      });
    });

    it('that the provider never made is released, and may be requested again', async () => {
      const operator = await buildOperator();
      const { transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId);
      const path = `/v1/admin/billing/refunds/${id}/settle`;
      assertProblem(await platform().post(path, { outcome: 'failed', reason }), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.deepEqual(await walletOf(operator), [0, 1_000, 0], 'nothing moves before somebody approves');
      assert.deepEqual(assertStatus(await settled(id, 'failed'), 200), {
        kind: 'refund',
        id,
        operator_id: operator.operatorId,
        outcome: 'failed',
        transaction_id: null,
      });
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.deepEqual(await casesOf(operator), []);
      assert.deepEqual(await audited(id), ['refund.failed', 'refund.settled_by_hand']);
      assert.equal((await refundOf(operator, transactionId)).status, 'succeeded');
    });

    it('that is released pays what the wallet owes first', async () => {
      const operator = await buildOperator();
      const [one, other] = [await buildTopUp(operator), await buildTopUp(operator)];
      const id = await hangingRefund(operator, one.transactionId);
      await credit(operator.operatorId, -700);
      await refundedThere((await topUpRow(other.id)).payment_id, 1_000);
      assert.deepEqual(await walletOf(operator), [0, 1_000, 700]);
      assertStatus(await settled(id, 'failed'), 200);
      assert.deepEqual(await walletOf(operator), [300, 0, 0]);
    });

    it('that the provider has paid takes what is held', async () => {
      const { operator, id } = await settledByHand('succeeded');
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      assert.deepEqual(await movements(operator.operatorId), [
        { kind: 'topup', cents: 1_000 },
        { kind: 'refund', cents: -1_000 },
      ]);
      const again = await platform().post(`/v1/admin/billing/refunds/${id}/settle`, { outcome: 'failed', reason });
      assertProblem(again, 'INVALID_STATE');
    });

    it('that was settled as paid, and that the provider’s list has not, is in the wallet again', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId);
      assertStatus(await settled(id, 'succeeded'), 200);
      await untilRead((await topUpRow(topUp)).payment_id ?? '');
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.deepEqual(await audited(id), ['refund.succeeded', 'refund.settled_by_hand', 'refund.failed']);
    });

    it('that was released, and that the provider had paid, is taken once', async () => {
      const { operator, report } = await settledByHand('failed', { spent: 300 });
      assert.deepEqual(await walletOf(operator), [700, 0, 0]);
      for (let times = 0; times < 2; times += 1) {
        await report('succeeded');
        assert.deepEqual(await walletOf(operator), [0, 0, 300]);
      }
    });

    it('that was released stays so when the provider says that it failed', async () => {
      const { operator, transactionId, report } = await settledByHand('failed');
      await report('failed');
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.equal((await refundOf(operator, transactionId)).status, 'succeeded');
    });

    it('that was released and then taken, or settled as paid, is in the wallet again when the bank sends it back', async () => {
      for (const outcome of ['failed', 'succeeded'] as const) {
        const { operator, transactionId, report } = await settledByHand(outcome);
        await report('succeeded');
        assert.deepEqual(await walletOf(operator), [0, 0, 0]);
        for (let times = 0; times < 2; times += 1) await report('failed');
        assert.deepEqual([await walletOf(operator), await casesOf(operator)], [[1_000, 0, 0], []]);
        assert.equal((await refundOf(operator, transactionId)).amount_cents, 1_000);
      }
    });

    it('that the provider has made is not released by a person', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const id = await hangingRefund(operator, transactionId);
      const there = await refundThere(paymentId, 1_000, { status: 'pending', key: `refund:${transactionId}` });
      await reportRefunds(paymentId);
      const path = `/v1/admin/billing/refunds/${id}/settle`;
      assertProblem(await platform().post(path, { outcome: 'failed', reason }), 'INVALID_STATE');
      await reportThere(paymentId, { id: there, status: 'failed' });
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
    });

    it('that was released, and paid after all while it is requested again, is taken when the provider refuses that', async () => {
      const { operator, transactionId, report } = await settledByHand('failed');
      const anew = await hangingRefund(operator, transactionId);
      await report('succeeded');
      assert.deepEqual(await walletOf(operator), [0, 1_000, 1_000], 'the first is paid, and the second is held');
      assert.equal(await releaseRefusedRefund(await database(), anew), true);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
    });

    it('and that somebody made in the dashboard instead is paid once, however it is settled', async () => {
      for (const outcome of ['failed', 'succeeded']) {
        const operator = await buildOperator();
        const { id: topUp, transactionId } = await buildTopUp(operator);
        const paymentId = (await topUpRow(topUp)).payment_id ?? '';
        const id = await hangingRefund(operator, transactionId);
        await refundedThere(paymentId, 1_000);
        assert.deepEqual(await walletOf(operator), [0, 1_000, 1_000]);
        assertStatus(await settled(id, outcome), 200);
        await untilRead(paymentId);
        assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      }
    });

    it('has to exist', async () => {
      const path = '/v1/admin/billing/refunds/rfd_nothing/settle';
      assertProblem(await platform().post(path, { outcome: 'failed', reason }), 'NOT_FOUND');
      assertProblem(await platform().post(path, { outcome: 'lost', reason }), 'VALIDATION_ERROR', 'outcome');
      assertProblem(await platform().post(path, { outcome: 'failed' }), 'VALIDATION_ERROR', 'reason');
    });
  });

  describe('an alarm', () => {
    const pathOf = ({ id }: BillingCase): string => `/v1/admin/billing/alarms/${id}/dismiss`;
    const alarmsOf = async (operator: TestOperator): Promise<BillingCase[]> =>
      (await casesOf(operator)).filter(({ kind }) => kind === 'alarm');
    const shown = async (operator: TestOperator) =>
      (await alarmsOf(operator)).map(({ alarm, concerns, amount_cents }) => [alarm, concerns, amount_cents]);
    const dispute = ({
      id,
      paymentId,
      status,
      createdAt,
    }: {
      id: string;
      paymentId: string;
      status: string;
      createdAt: Date;
    }) =>
      post(
        paymentEventBody('charge.dispute.updated', disputeObject({ id, paymentId, amountCents: 1_000 }, { status }), {
          createdAt,
        }),
      );

    it('is a refund that was released and paid after all, until the bank sends it back', async () => {
      const { operator, id, report } = await settledByHand('failed');
      for (let times = 0; times < 2; times += 1) await report('succeeded');
      assert.deepEqual(await shown(operator), [['refund_paid_after_all', id, 1_000]]);
      await report('failed');
      assert.deepEqual(await shown(operator), []);
    });

    it('is no refund that the bank sends back: the wallet has its money again', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const there = await refundedThere(paymentId, 300);
      const id = await hangingRefund(operator, transactionId);
      assert.deepEqual(await walletOf(operator), [0, 700, 0]);
      await reportThere(paymentId, { id: there, status: 'failed' });
      assert.deepEqual(await walletOf(operator), [300, 700, 0]);
      await refundThere(paymentId, 700, { status: 'failed', key: `refund:${transactionId}` });
      await reportRefunds(paymentId);
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.deepEqual(await shown(operator), []);
      assert.deepEqual(await audited(id), ['refund.failed']);
    });

    it('is a list of refunds that the provider refuses, until it is read; meanwhile nothing moves', async () => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      const paymentId = `pi_${topUp.id}`; // that the local provider does not know
      await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
      await post(
        paymentEventBody('charge.refunded', refundedCharge({ paymentId, amountCents: 1_000, refundedCents: 400 })),
      );
      await eventually('the alarm', async () => (await shown(operator)).length > 0);
      assert.deepEqual(await shown(operator), [['refunds_unread', topUp.id, null]]);
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      const [alarm] = await alarmsOf(operator);
      assert(alarm !== undefined);
      const dismissed = await decide(pathOf(alarm)); // needs an approval: money waits for this list
      assert.equal(assertStatus(dismissed, 200).outcome, 'dismissed');
      assert.deepEqual([await shown(operator), await audited(alarm.id)], [[], ['payment_alarm.dismissed']]);
      await post(
        paymentEventBody('charge.refunded', refundedCharge({ paymentId, amountCents: 1_000, refundedCents: 400 })),
      );
      await eventually('the alarm again', async () => (await shown(operator)).length > 0);
      await refundedThere(paymentId, 400);
      assert.deepEqual([await shown(operator), await walletOf(operator)], [[], [600, 0, 0]]);
    });

    it('is dismissed as a person saw it: what becomes known since needs another approval', async () => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      const paymentId = `pi_${topUp.id}`; // that the local provider does not know
      await post(topUpEvent(topUp, undefined, { payment_intent: paymentId }));
      const report = () =>
        post(
          paymentEventBody('charge.refunded', refundedCharge({ paymentId, amountCents: 1_000, refundedCents: 400 })),
        );
      await report();
      await eventually('the alarm', async () => (await shown(operator)).length > 0);
      const [alarm] = await alarmsOf(operator);
      assert(alarm !== undefined);
      const { approval_id: approval } = refusedWith(await platform().post(pathOf(alarm), { reason }));
      assertStatus(await approve(person, approval), 200);
      await report();
      const late = await platform().post(pathOf(alarm), { reason }, withApproval(approval));
      assertProblem(late, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal(refusedWith(late).approval_status, 'subject_changed');
      assertStatus(await decide(pathOf(alarm)), 200);
    });

    it('that was over and is raised again needs another approval', async () => {
      const { operatorId, ...operator } = await buildOperator();
      const [connection, concerns] = [await database(), newId('sbc')];
      const raise = () => raiseAlarm(connection, { kind: 'upgrade_not_made', concerns, operatorId });
      await raise();
      const [alarm] = await alarmsOf({ operatorId, ...operator });
      assert(alarm !== undefined);
      const { approval_id: approval } = refusedWith(await platform().post(pathOf(alarm), { reason }));
      assertStatus(await approve(person, approval), 200);
      await endAlarm(connection, { kind: 'upgrade_not_made', concerns });
      await raise();
      const late = await platform().post(pathOf(alarm), { reason }, withApproval(approval));
      assert.equal(refusedWith(late).approval_status, 'subject_changed');
    });

    for (const alarm of ['payout_reversed_in_part', 'unknown_price', 'upgrade_not_made'] as const)
      it(`about money that somebody paid or is paid, ${alarm}, is dismissed with an approval`, async () => {
        const operator = await buildOperator();
        const { operatorId } = operator;
        await raiseAlarm(await database(), { kind: alarm, concerns: newId('pyt'), operatorId });
        const dismissed = await decide(pathOf(await onlyCase(operator)));
        assert.equal(assertStatus(dismissed, 200).outcome, 'dismissed');
      });

    for (const { what, paid } of [
      { what: 'credited', paid: 1_000 },
      { what: 'taken', paid: 900 },
    ])
      it(`is a dispute of a status that we do not know, reported before its payment is ${what}`, async () => {
        const operator = await buildOperator();
        const topUp = await beginTopUp(operator);
        const [id, paymentId] = [`dp_${newId('evt')}`, `pi_${topUp.id}`];
        await dispute({ id, paymentId, status: 'escalated', createdAt: new Date() });
        assert.deepEqual(await shown(operator), []);
        await post(topUpEvent(topUp, undefined, { payment_intent: paymentId, amount_total: paid }));
        if (what === 'taken') {
          const differing = await onlyCase(operator);
          assertStatus(await decide(`/v1/admin/billing/differing-payments/${differing.id}/take`), 200);
        }
        assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
      });

    it('is a dispute of a status that we do not know, until it has one that we know', async () => {
      const operator = await buildOperator();
      const { id: topUp } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const id = `dp_${newId('evt')}`;
      const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
      await dispute({ id, paymentId, status: 'escalated', createdAt: at(0) });
      assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
      await dispute({ id, paymentId, status: 'needs_response', createdAt: at(10) });
      assert.deepEqual(await shown(operator), []);
      await dispute({ id, paymentId, status: 'escalated', createdAt: at(20) });
      assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
    });

    it('that was dismissed is raised again by another status of the dispute that we do not know', async () => {
      const operator = await buildOperator();
      const { id: topUp } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const id = `dp_${newId('evt')}`;
      const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
      const dismiss = async (): Promise<void> => {
        const [alarm] = await alarmsOf(operator);
        assert(alarm !== undefined);
        assertStatus(await platform().post(pathOf(alarm), { reason }), 200);
        assert.deepEqual(await shown(operator), []);
      };
      await dispute({ id, paymentId, status: 'escalated', createdAt: at(0) });
      await dismiss();
      await dispute({ id, paymentId, status: 'escalated', createdAt: at(10) });
      assert.deepEqual(await shown(operator), [], 'the status that was dismissed');
      await dispute({ id, paymentId, status: 'arbitrated', createdAt: at(20) });
      assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
      await dismiss();
      await dispute({ id, paymentId, status: 'needs_response', createdAt: at(30) });
      await dispute({ id, paymentId, status: 'arbitrated', createdAt: at(40) });
      assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
    });

    it('is dismissed by the platform without an approval, once, and is not raised again by the same', async () => {
      const { operator, id, report } = await settledByHand('failed');
      await report('succeeded');
      const [alarm] = await alarmsOf(operator);
      assert(alarm !== undefined);
      const before = await walletOf(operator);
      assert.deepEqual(assertStatus(await platform().post<DecidedCase>(pathOf(alarm), { reason }), 200), {
        kind: 'alarm',
        id: alarm.id,
        operator_id: operator.operatorId,
        outcome: 'dismissed',
        transaction_id: null,
      });
      assert.deepEqual([await alarmsOf(operator), await walletOf(operator)], [[], before]);
      assert.deepEqual(await audited(alarm.id), ['billing_alarm.dismissed']);
      assertProblem(await platform().post(pathOf(alarm), { reason }), 'INVALID_STATE');
      await report('succeeded');
      assert.deepEqual(await alarmsOf(operator), [], `of ${id}`);
    });

    it('has to exist', async () => {
      assertProblem(await platform().post('/v1/admin/billing/alarms/alm_nothing/dismiss', { reason }), 'NOT_FOUND');
    });
  });

  describe('a debt', () => {
    it('is given up by the platform, which pays it; the wallet shows both', async () => {
      const operator = await buildOperator();
      const { id } = await buildTopUp(operator);
      await credit(operator.operatorId, -400);
      await refundedThere((await topUpRow(id)).payment_id, 1_000);
      const debt = await onlyCase(operator);
      assert.deepEqual([debt.kind, debt.amount_cents, debt.concerns], ['receivable', 400, null]);
      const path = `/v1/admin/billing/receivables/${encodeURIComponent(debt.id)}/close`;
      const closed = assertStatus(await decide(path), 200);
      assert.deepEqual([closed.outcome, closed.operator_id], ['closed', operator.operatorId]);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      assert.deepEqual(await centsOf(operator), [1_000, -400, -600, 400, -400]);
      assert.deepEqual(await audited(closed.transaction_id ?? ''), ['receivable.closed']);
      assert.deepEqual(await audited(debt.id), ['receivable.closed']);
      assert.deepEqual(await casesOf(operator), []);
      assertProblem(await platform().post(path, { reason }), 'INVALID_STATE');
    });

    it('is given up by the sum that was approved: where it is paid meanwhile, a person looks again', async () => {
      const operator = await buildOperator();
      const { id } = await buildTopUp(operator);
      await credit(operator.operatorId, -400);
      await refundedThere((await topUpRow(id)).payment_id, 1_000);
      const debt = await onlyCase(operator);
      const path = `/v1/admin/billing/receivables/${encodeURIComponent(debt.id)}/close`;
      const { approval_id: approval } = refusedWith(await platform().post(path, { reason }));
      assertStatus(await approve(person, approval), 200);
      const credited = newId('txn');
      const pool = await database();
      const { decided } = await pool.transaction(async (other) => {
        await other.query(sql.unsafe`
          select credit_wallet(${credited}, ${operator.operatorId}, 100, 'platform:adjustments', 'adjustment', ${credited}, 'of a test')`);
        const begun = platform().post(path, { reason }, withApproval(approval));
        await eventually('the decision to wait', () =>
          other.exists(sql.unsafe`
            select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`),
        );
        return { decided: begun };
      });
      assertProblem(await decided, 'INVALID_STATE');
      assert.deepEqual(await walletOf(operator), [0, 0, 300]);
    });

    it('has to exist', async () => {
      assertProblem(await platform().post('/v1/admin/billing/receivables/dp_nothing/close', { reason }), 'NOT_FOUND');
    });
  });

  describe('a payment that differs', () => {
    const pathOf = ({ id }: BillingCase, what: 'take' | 'dismiss') =>
      `/v1/admin/billing/differing-payments/${id}/${what}`;

    it('in its amount is credited by what was paid, and goes back like any other', async () => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      for (let times = 0; times < 2; times += 1) await post(topUpEvent(topUp, undefined, { amount_total: 900 }));
      assert.equal(await balanceOf(operator), 0);
      const differing = await onlyCase(operator);
      assert.deepEqual(
        [differing.kind, differing.amount_cents, differing.currency, differing.concerns],
        ['differing_payment', 900, 'usd', topUp.id],
      );
      const taken = assertStatus(await decide(pathOf(differing, 'take')), 200);
      const { status, payment_id: paymentId, transaction_id: transactionId } = await topUpRow(topUp.id);
      assert.deepEqual([status, transactionId], ['paid', taken.transaction_id]);
      assert.deepEqual(await movements(operator.operatorId), [{ kind: 'topup', cents: 900 }]);
      assert.deepEqual(await audited(differing.id), ['differing_payment.taken']);
      await post(topUpEvent(topUp, undefined, { amount_total: 900 }));
      assert.deepEqual(await casesOf(operator), []);
      await refundedThere(paymentId, 900);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      assertProblem(await platform().post(pathOf(differing, 'take'), { reason }), 'INVALID_STATE');
    });

    it('because it was paid twice becomes a top-up of its own', async () => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      await post(topUpEvent(topUp));
      await post(topUpEvent(topUp, undefined, { id: `cs_again_${topUp.id}` }));
      assert.equal(await balanceOf(operator), 1_000);
      const differing = await onlyCase(operator);
      assertStatus(await decide(pathOf(differing, 'take')), 200);
      assert.deepEqual(await centsOf(operator), [1_000, 1_000]);
      await refundedThere(`pi_cs_again_${topUp.id}`, 1_000);
      assert.equal(await balanceOf(operator), 1_000);
    });

    it('in a checkout of which another payment was credited since is not taken', async () => {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      await post(topUpEvent(topUp, undefined, { amount_total: 900, payment_intent: `pi_other_${topUp.id}` }));
      await post(topUpEvent(topUp));
      assert.equal(await balanceOf(operator), 1_000);
      const differing = await onlyCase(operator);
      assertProblem(await platform().post(pathOf(differing, 'take'), { reason }), 'INVALID_STATE');
      assertStatus(await decide(pathOf(differing, 'dismiss')), 200);
    });

    it('and was given back at the provider is dismissed', async () => {
      const operator = await buildOperator();
      await post(topUpEvent(await beginTopUp(operator), undefined, { amount_total: 5_000 }));
      const differing = await onlyCase(operator);
      assertProblem(await platform().post(pathOf(differing, 'dismiss'), { reason }), 'GOVERNANCE_APPROVAL_REQUIRED');
      const dismissed = await decide(pathOf(differing, 'dismiss'));
      assert.equal(assertStatus(dismissed, 200).outcome, 'dismissed');
      assert.deepEqual([await casesOf(operator), await balanceOf(operator)], [[], 0]);
      assert.deepEqual(await audited(differing.id), ['differing_payment.dismissed']);
      for (const what of ['take', 'dismiss'] as const)
        assertProblem(await platform().post(pathOf(differing, what), { reason }), 'INVALID_STATE');
    });

    it('in its currency is not credited', async () => {
      const operator = await buildOperator();
      await post(topUpEvent(await beginTopUp(operator), undefined, { currency: 'eur' }));
      const refused = await platform().post(pathOf(await onlyCase(operator), 'take'), { reason });
      assertProblem(refused, 'INVALID_STATE');
      assert.match(String(refused.body.detail), /US cents/);
      assert.equal(await balanceOf(operator), 0);
      assert.equal((await casesOf(operator)).length, 1);
    });

    it('has to exist, and to be paid: a checkout that expires is no payment', async () => {
      for (const what of ['take', 'dismiss'] as const) {
        const path = `/v1/admin/billing/differing-payments/dif_nothing/${what}`;
        assertProblem(await platform().post(path, { reason }), 'NOT_FOUND');
      }
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator);
      await post(topUpEvent(topUp, 'checkout.session.expired', { id: `cs_other_${topUp.id}` }));
      assert.deepEqual(await casesOf(operator), []);
    });
  });

  it('is shown to the person who approves a decision with whose it is, what it concerns and what was requested', async () => {
    const operator = await buildOperator();
    const subjectOf = async (path: string, body: object = { reason }): Promise<unknown> => {
      const { approval_id: id } = refusedWith(await platform().post(`/v1/admin/billing/${path}`, body));
      return assertStatus(await person.get<{ subject: unknown }>(`/v1/governance/approvals/${id}`), 200).subject;
    };
    const whose = { state: 'open', operator_id: operator.operatorId };
    const { id: topUp, transactionId } = await buildTopUp(operator);
    const refund = await hangingRefund(operator, transactionId);
    assert.deepEqual(await subjectOf(`refunds/${refund}/settle`, { outcome: 'failed', reason }), {
      ...whose,
      amount_cents: 1_000,
      currency: 'usd',
      concerns: transactionId,
      requested_cents: null,
    });
    const other = await beginTopUp(operator);
    await post(topUpEvent(other, undefined, { amount_total: 900, currency: 'usd' }));
    const differing = (await casesOf(operator)).find(({ kind }) => kind === 'differing_payment');
    assert.deepEqual(await subjectOf(`differing-payments/${differing?.id}/take`), {
      ...whose,
      amount_cents: 900,
      currency: 'usd',
      concerns: other.id,
      requested_cents: 1_000,
    });
    assertStatus(await decide(`/v1/admin/billing/refunds/${refund}/settle`, { outcome: 'failed', reason }), 200);
    await credit(operator.operatorId, -1_000);
    await refundedThere((await topUpRow(topUp)).payment_id, 1_000);
    const debt = (await casesOf(operator)).find(({ kind }) => kind === 'receivable');
    assert.deepEqual(await subjectOf(`receivables/${encodeURIComponent(debt?.id ?? '')}/close`), {
      ...whose,
      amount_cents: 1_000,
      currency: 'usd',
      concerns: null,
      requested_cents: null,
    });
  });

  it('is read page by page', async () => {
    const operator = await buildOperator();
    for (let nth = 0; nth < 3; nth += 1)
      await post(topUpEvent(await beginTopUp(operator), undefined, { amount_total: 900 + nth }));
    const ids: string[] = [];
    let next: string | null = `${CASES}?limit=2&operator_id=${operator.operatorId}`;
    while (next !== null) {
      const page: Reply<{ cases: BillingCase[]; next_cursor: string | null }> = await platform().get(next);
      const { cases, next_cursor: cursor } = assertStatus(page, 200);
      ids.push(...cases.map(({ id }) => id));
      next = cursor === null ? null : `${CASES}?limit=2&operator_id=${operator.operatorId}&cursor=${cursor}`;
    }
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(ids, ids.toSorted());
  });
});
