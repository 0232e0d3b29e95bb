import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { settleRefund } from '../../../src/billing/payments/queries.ts';
import type { BillingCase, DecidedCase } from '../../../src/billing/cases/schema.ts';
import { newId } from '../../../src/ids/ids.ts';
import { approve, postApproved, refusedWith, withApproval } from '../../governance/support.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { disputeObject, paymentEventBody, refundedCharge, refundObject } from '../../support/payment-webhooks.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Reply } from '../../support/service.ts';
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
import {
  besides,
  CASES,
  casesOf,
  centsOf,
  hangingRefund,
  onlyCase,
  refunded,
  settledRefund,
  walletOf,
} from './support.ts';

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
    postApproved(person, path, body);

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
      await refunded((await topUpRow(other.id)).payment_id, 1_000);
      assert.deepEqual(await walletOf(operator), [0, 1_000, 700]);
      assertStatus(await settled(id, 'failed'), 200);
      assert.deepEqual(await walletOf(operator), [300, 0, 0]);
    });

    it('that the provider has paid takes what is held', async () => {
      const operator = await buildOperator();
      const { transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId);
      assertStatus(await settled(id, 'succeeded'), 200);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      assert.deepEqual(await movements(operator.operatorId), [
        { kind: 'topup', cents: 1_000 },
        { kind: 'refund', cents: -1_000 },
      ]);
      const again = await platform().post(`/v1/admin/billing/refunds/${id}/settle`, { outcome: 'failed', reason });
      assertProblem(again, 'INVALID_STATE');
    });

    for (const known of [true, false]) {
      const which = known ? 'whose id at the provider is known' : 'whose id at the provider nobody knew';

      it(`${which}, released, that the provider had paid, is taken once, whichever report comes first`, async () => {
        for (const sumFirst of [true, false]) {
          const { operator, sum, report } = await settledByHand('failed', { known, spent: 300 });
          assert.deepEqual(await walletOf(operator), [700, 0, 0]);
          if (sumFirst) await sum();
          for (let times = 0; times < 2; times += 1) {
            assert.equal(await report('succeeded'), 'paid_after_all');
            assert.deepEqual(await walletOf(operator), [0, 0, 300]);
          }
          await sum();
          assert.deepEqual(await walletOf(operator), [0, 0, 300]);
        }
      });

      it(`${which}, released, stays so when the provider says that it failed; a sum that counted it comes late`, async () => {
        const { operator, transactionId, sum, report } = await settledByHand('failed', { known });
        assert.equal(await report('failed'), 'repeated');
        await sum();
        assert.equal(await report('succeeded'), 'repeated');
        assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
        assert.equal((await refundOf(operator, transactionId)).status, 'succeeded');
      });

      it(`${which}, released and then taken, is for a person when the bank sends it back`, async () => {
        const { operator, id, sum, report } = await settledByHand('failed', { known });
        await sum();
        assert.deepEqual([await report('failed'), await report('failed')], ['came_back', 'repeated']);
        assert.deepEqual(await walletOf(operator), [0, 0, 0]);
        assert.deepEqual(await audited(id), ['refund.failed', 'refund.settled_by_hand', 'refund.came_back']);
      });

      it(`${which}, that the provider has paid, is in the wallet again when the bank sends it back`, async () => {
        for (const confirmed of [true, false]) {
          const { operator, id, sum, report } = await settledByHand('succeeded', { known });
          await sum();
          if (confirmed) assert.equal(await report('succeeded'), 'repeated');
          assert.deepEqual([await report('failed'), await report('failed')], ['failed', 'repeated']);
          await sum();
          assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
          assert.deepEqual(await audited(id), ['refund.succeeded', 'refund.settled_by_hand', 'refund.failed']);
        }
      });
    }

    it('that was released, and paid after all while it is requested anew, is taken when the provider refuses that', async () => {
      const { operator, transactionId, report } = await settledByHand('failed', { known: false });
      const anew = await hangingRefund(operator, transactionId, false);
      assert.equal(await report('succeeded'), 'paid_after_all');
      assert.deepEqual(await walletOf(operator), [0, 1_000, 1_000], 'the first is paid, and the second is held');
      await settleRefund(await database(), anew, {
        providerRefundId: null,
        status: 'failed',
        madeAt: null,
        cameBackAt: null,
      });
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
    });

    it('that was released although its sum is known is taken at once', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId);
      await refunded((await topUpRow(topUp)).payment_id, 1_000);
      assertStatus(await settled(id, 'failed'), 200);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
    });

    it('that was paid is settled by naming it, where nobody here knows how the provider calls it', async () => {
      const operator = await buildOperator();
      const { transactionId } = await buildTopUp(operator);
      const [known, unknown] = [await buildTopUp(operator), await hangingRefund(operator, transactionId, false)];
      const other = await hangingRefund(operator, known.transactionId);
      const path = `/v1/admin/billing/refunds/${unknown}/settle`;
      const named = (id: string) => ({ outcome: 'succeeded', provider_refund_id: id, reason });
      const refused = await platform().post(path, { outcome: 'succeeded', reason });
      assertProblem(refused, 'INVALID_STATE');
      assert.match(String(refused.body.detail), /provider_refund_id/);
      assertProblem(await platform().post(path, named(`re_${other}`)), 'INVALID_STATE');
      const wrong = await platform().post(`/v1/admin/billing/refunds/${other}/settle`, named('re_wrong'));
      assertProblem(wrong, 'INVALID_STATE');
      assert.match(String(wrong.body.detail), new RegExp(`re_${other}`));
      for (const id of ['', ' ', 'pi_1', 're_', 're_ 1', `xre_${unknown}`])
        assertProblem(await platform().post(path, named(id)), 'VALIDATION_ERROR', 'provider_refund_id');
      assert.deepEqual(await walletOf(operator), [0, 2_000, 0]);
      assertStatus(await decide(path, named(`re_found_${unknown}`)), 200);
      assert.deepEqual(await walletOf(operator), [0, 1_000, 0]);
    });

    it('and was made in the dashboard is in the wallet again when the bank sends it back', async () => {
      const found = `re_by_hand_${newId('evt')}`;
      const { operator, id, sum, report } = await settledByHand('succeeded', { known: false, found });
      const byHand = (status: string) => report(status, {}, found);
      await sum();
      assert.equal(await byHand('succeeded'), 'repeated');
      assert.deepEqual([await byHand('failed'), await byHand('failed')], ['failed', 'repeated']);
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.deepEqual(await audited(id), ['refund.succeeded', 'refund.settled_by_hand', 'refund.failed']);
      assert.equal(await report('succeeded'), 'paid_after_all', 'the key of our own says that it was another one');
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
    });

    it('for which a person named another one is the one with our key', async () => {
      const [first, second] = [`re_first_${newId('evt')}`, `re_second_${newId('evt')}`];
      const one = await settledByHand('succeeded', { known: false, found: second });
      const other = await settledByHand('succeeded', { known: false, found: first });
      assert.equal(await one.report('succeeded', undefined, first), 'repeated');
      assert.equal(await other.report('succeeded', undefined, second), 'repeated');
      assert.equal(await one.report('failed', undefined, first), 'failed');
      assert.deepEqual(
        [await walletOf(one.operator), await walletOf(other.operator)],
        [
          [1_000, 0, 0],
          [0, 0, 0],
        ],
      );
    });

    it('and was settled by the id of a refund of another payment, or of another amount, has not come back with that', async () => {
      for (const amount of [1_000, 400]) {
        const found = `re_of_another_${newId('evt')}`;
        const { operator, id, paymentId } = await settledByHand('succeeded', { known: false, found });
        const other = await buildTopUp(operator);
        const payment = amount === 400 ? paymentId : ((await topUpRow(other.id)).payment_id ?? '');
        for (const status of ['failed', 'failed'])
          await post(paymentEventBody('refund.updated', refundObject(found, payment, status, { amount })));
        assert.deepEqual(await walletOf(operator), [1_000, 0, 0], 'the other top-up; of the first nothing came back');
        const { alarm, concerns, amount_cents: cents } = await onlyCase(operator);
        assert.deepEqual([alarm, concerns, cents], ['refund_named_wrongly', id, 1_000]);
        const dismiss = `/v1/admin/billing/alarms/${(await onlyCase(operator)).id}/dismiss`;
        assertProblem(await platform().post(dismiss, { reason }), 'GOVERNANCE_APPROVAL_REQUIRED');
        assert.equal(assertStatus(await decide(dismiss), 200).outcome, 'dismissed');
      }
    });

    it('and comes back while a person settles it by its id is in the wallet again', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const id = await hangingRefund(operator, transactionId, false);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const [found, eventId] = [`re_found_${id}`, newId('evt')];
      const back = paymentEventBody('refund.failed', refundObject(found, paymentId, 'failed'), { id: eventId });
      await besides(`select settle_refund_by_hand($1, 'succeeded', $2, null)`, [id, found], () => post(back));
      assert.equal(await outcomeOf(eventId), 'failed');
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
    });

    it('and is settled while its life requests it believes what the provider made, and no refusal', async () => {
      const pool = await database();
      const paid = await settledByHand('succeeded', { known: false });
      const refusal = { providerRefundId: null, status: 'failed', madeAt: null, cameBackAt: null } as const;
      assert.equal((await settleRefund(pool, paid.id, refusal)).outcome, 'repeated');
      assert.deepEqual(await walletOf(paid.operator), [0, 0, 0]);
      const released = await settledByHand('failed', { known: false });
      assert.equal((await settleRefund(pool, released.id, refusal)).outcome, 'repeated');
      const made = {
        providerRefundId: `re_${released.id}`,
        status: 'succeeded',
        madeAt: null,
        cameBackAt: null,
      } as const;
      assert.equal((await settleRefund(pool, released.id, made)).outcome, 'paid_after_all');
      assert.deepEqual(await walletOf(released.operator), [0, 0, 0]);
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
    const dispute = (id: string, paymentId: string, status: string, createdAt: Date) =>
      post(paymentEventBody('charge.dispute.updated', disputeObject(id, paymentId, 1_000, { status }), { createdAt }));

    it('is a refund that was released and paid after all, until the bank sends it back', async () => {
      const { operator, topUp, id, report } = await settledByHand('failed');
      for (let times = 0; times < 2; times += 1) await report('succeeded');
      assert.deepEqual(await shown(operator), [['refund_paid_after_all', id, 1_000]]);
      await report('failed');
      assert.deepEqual(await shown(operator), [['refund_came_back', topUp, 1_000]]);
    });

    it('is a refund that a person made at the provider, and that the bank sends back', async () => {
      const operator = await buildOperator();
      const { id: topUp } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      await refunded(paymentId, 400);
      const re = `re_dashboard_${topUp}`;
      await post(paymentEventBody('refund.updated', refundObject(re, paymentId, 'failed', { amount: 400 })));
      assert.deepEqual(await shown(operator), [['refund_came_back', topUp, 400]]);
    });

    const minutes = (minute: number): Date => new Date(Date.now() - 3_600_000 + minute * 60_000);
    /** A top-up of $10, of which $3 were refunded in the provider's dashboard and came back from the bank; and so many cents that did not. */
    const cameBack = async (more = 0) => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const sumAt = (minute: number, cents: number) =>
        post(
          paymentEventBody('charge.refunded', refundedCharge(paymentId, 1_000, cents), { createdAt: minutes(minute) }),
        );
      await sumAt(10, 300);
      if (more > 0) await sumAt(15, 300 + more);
      const failed = refundObject(`re_dashboard_${topUp}`, paymentId, 'failed', { amount: 300 });
      await post(paymentEventBody('refund.failed', failed, { createdAt: minutes(20) }));
      assert.deepEqual(await walletOf(operator), [700 - more, 0, 0]);
      const [alarm] = await alarmsOf(operator);
      assert(alarm !== undefined);
      return { operator, topUp, transactionId, sumAt, alarm, give: `/v1/admin/billing/alarms/${alarm.id}/give-back` };
    };

    it('of a refund that came back is decided by giving it back, which a person approves', async () => {
      const { operator, topUp, give } = await cameBack();
      assertProblem(await platform().post(give, { reason }), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.deepEqual(await walletOf(operator), [700, 0, 0]);
      const decided = assertStatus(await decide(give), 200);
      assert.deepEqual([decided.kind, decided.outcome], ['alarm', 'given_back']);
      assert.deepEqual(await centsOf(operator), [1_000, -300, 300]);
      assert.deepEqual([await alarmsOf(operator), await walletOf(operator)], [[], [1_000, 0, 0]]);
      assert((await audited(topUp)).includes('refund.given_back'));
      assert(decided.transaction_id !== null);
      assertProblem(await platform().post(give, { reason }), 'INVALID_STATE');
    });

    it('of a refund that came back is decided by the sum that was approved: more that came back meanwhile is looked at again', async () => {
      for (const what of ['give-back', 'keep']) {
        const { operator, topUp, alarm } = await cameBack(500);
        const paymentId = (await topUpRow(topUp)).payment_id ?? '';
        const path = `/v1/admin/billing/alarms/${alarm.id}/${what}`;
        const { approval_id: approval } = refusedWith(await platform().post(path, { reason }));
        assertStatus(await approve(person, approval), 200);
        const decided = await besides(
          `select record_refund($1, $2, null, 500, 'failed', $3, null, null)`,
          [`re_more_${topUp}`, paymentId, minutes(30).toISOString()],
          () => platform().post(path, { reason }, withApproval(approval)),
        );
        assertProblem(decided, 'INVALID_STATE');
        assert.deepEqual(await shown(operator), [['refund_came_back', topUp, 800]]);
        assert.deepEqual(await walletOf(operator), [200, 0, 0]);
      }
    });

    it('of a refund that was given back hides none that comes later', async () => {
      for (const [cents, left] of [
        [1_000, 0],
        [200, 800],
      ] as const) {
        const { operator, give, sumAt } = await cameBack();
        assertStatus(await decide(give), 200);
        await sumAt(40, cents);
        assert.deepEqual(await walletOf(operator), [left, 0, 0]);
      }
      const { operator, give, transactionId } = await cameBack();
      assertStatus(await decide(give), 200);
      assert.equal((await refundOf(operator, transactionId)).amount_cents, 1_000);
    });

    it('of a refund that came back is kept, since the operator has it otherwise, which a person approves; it hides none that comes later', async () => {
      const { operator, topUp, alarm, sumAt } = await cameBack();
      await credit(operator.operatorId, 300);
      const keep = `/v1/admin/billing/alarms/${alarm.id}/keep`;
      assertProblem(await platform().post(keep, { reason }), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.deepEqual((await alarmsOf(operator)).length, 1);
      const decided = assertStatus(await decide(keep), 200);
      assert.deepEqual([decided.kind, decided.outcome, decided.transaction_id], ['alarm', 'kept', null]);
      assert.deepEqual([await alarmsOf(operator), await walletOf(operator)], [[], [1_000, 0, 0]]);
      assert.deepEqual(await audited(alarm.id), ['refund.kept']);
      assert((await audited(topUp)).includes('refund.kept'));
      assertProblem(await platform().post(keep, { reason }), 'INVALID_STATE');
      await sumAt(40, 1_000);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
    });

    it('of a refund that came back is not dismissed: that decides nothing about the money', async () => {
      const { operator, alarm } = await cameBack();
      const refused = await platform().post(pathOf(alarm), { reason });
      assertProblem(refused, 'INVALID_STATE');
      assert.match(String(refused.body.detail), /`give-back`.*`keep`/);
      assert.equal((await alarmsOf(operator)).length, 1);
    });

    it('of a refund that came back shrinks by what is refunded later, and is over when that is all', async () => {
      const { operator, topUp, sumAt } = await cameBack();
      await sumAt(40, 200);
      assert.deepEqual(await shown(operator), [['refund_came_back', topUp, 100]]);
      await sumAt(50, 300);
      assert.deepEqual([await shown(operator), await walletOf(operator)], [[], [700, 0, 0]]);
    });

    it('of a released refund that was paid after all and came back is given back, and the top-up is whole', async () => {
      const { operator, transactionId, report } = await settledByHand('failed');
      await report('succeeded');
      await report('failed');
      const [alarm] = await alarmsOf(operator);
      assertStatus(await decide(`/v1/admin/billing/alarms/${alarm?.id}/give-back`), 200);
      assert.deepEqual(await walletOf(operator), [1_000, 0, 0]);
      assert.equal((await refundOf(operator, transactionId)).amount_cents, 1_000);
    });

    it('of a refund that came back stays as it is when ours, which was released, was paid after all', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const sumOf = (minute: number, cents: number) =>
        post(
          paymentEventBody('charge.refunded', refundedCharge(paymentId, 1_000, cents), { createdAt: minutes(minute) }),
        );
      await sumOf(10, 600);
      const back = refundObject(`re_dashboard_${topUp}`, paymentId, 'failed', { amount: 600 });
      await post(paymentEventBody('refund.failed', back, { createdAt: minutes(20) }));
      const id = await hangingRefund(operator, transactionId, false);
      assertStatus(await decide(`/v1/admin/billing/refunds/${id}/settle`, { outcome: 'failed', reason }), 200);
      assert.deepEqual(await walletOf(operator), [400, 0, 0]);
      const ours = {
        amount: 400,
        created: Math.floor(minutes(30).getTime() / 1_000),
        metadata: { carnet_key: `refund:${transactionId}` },
      };
      await post(paymentEventBody('refund.updated', refundObject(`re_${id}`, paymentId, 'succeeded', ours)));
      await sumOf(30, 400);
      assert.deepEqual(await walletOf(operator), [0, 0, 0]);
      assert.deepEqual(
        Object.fromEntries((await alarmsOf(operator)).map(({ alarm, amount_cents }) => [alarm, amount_cents])),
        { refund_came_back: 600, refund_paid_after_all: 400 },
      );
      const alarm = (await alarmsOf(operator)).find(({ concerns }) => concerns === topUp);
      assertStatus(await decide(`/v1/admin/billing/alarms/${alarm?.id}/give-back`), 200);
      assert.deepEqual(await walletOf(operator), [600, 0, 0]);
    });

    it('of anything else is not given back, and not kept', async () => {
      const { operator, report } = await settledByHand('failed');
      await report('succeeded');
      const [alarm] = await alarmsOf(operator);
      for (const what of ['give-back', 'keep']) {
        const refused = await platform().post(`/v1/admin/billing/alarms/${alarm?.id}/${what}`, { reason });
        assertProblem(refused, 'INVALID_STATE');
        const nothing = await platform().post(`/v1/admin/billing/alarms/alm_nothing/${what}`, { reason });
        assertProblem(nothing, 'NOT_FOUND');
      }
    });

    it('is a refund without us that came back while ours is requested', async () => {
      const operator = await buildOperator();
      const { id: topUp, transactionId } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      await refunded(paymentId, 300);
      const id = await hangingRefund(operator, transactionId, false);
      const report = async (over: Record<string, unknown>): Promise<string | null> => {
        const eventId = newId('evt');
        const refund = refundObject(`re_dashboard_${topUp}`, paymentId, 'failed', { amount: 300, ...over });
        await post(paymentEventBody('refund.failed', refund, { id: eventId }));
        return outcomeOf(eventId);
      };
      assert.equal(await report({}), 'came_back');
      assert.deepEqual(await shown(operator), [['refund_came_back', topUp, 300]]);
      const ours = { id: `re_${id}`, amount: 700, metadata: { carnet_key: `refund:${transactionId}` } };
      assert.equal(await report(ours), 'failed');
      assert.deepEqual(await walletOf(operator), [700, 0, 0]);
    });

    it('is a dispute of a status that we do not know, until it has one that we know', async () => {
      const operator = await buildOperator();
      const { id: topUp } = await buildTopUp(operator);
      const paymentId = (await topUpRow(topUp)).payment_id ?? '';
      const id = `dp_${newId('evt')}`;
      const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
      await dispute(id, paymentId, 'escalated', at(0));
      assert.deepEqual(await shown(operator), [['dispute_unlisted', id, 1_000]]);
      await dispute(id, paymentId, 'needs_response', at(10));
      assert.deepEqual(await shown(operator), []);
      await dispute(id, paymentId, 'escalated', at(20));
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
      await refunded((await topUpRow(id)).payment_id, 1_000);
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
      await refunded(paymentId, 900);
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
      await refunded(`pi_cs_again_${topUp.id}`, 1_000);
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
    await refunded((await topUpRow(topUp)).payment_id, 1_000);
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
