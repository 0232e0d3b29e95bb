import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertLedger } from '../../../src/billing/index.ts';
import { settle } from '../../../src/billing/payments/local/settle.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { roundsOf } from '../../support/cases.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import {
  checkoutSession,
  paymentEventBody,
  postPaymentEvent,
  signPaymentEvent,
} from '../../support/payment-webhooks.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import {
  audited,
  balanceOf,
  beginTopUp,
  metadataOf,
  movements,
  outcomeOf,
  post,
  topUpEvent,
  topUpRow,
  type TestTopUp,
} from '../payments/support.ts';

const completed = 'checkout.session.completed';
const asyncPaid = 'checkout.session.async_payment_succeeded';
const asyncFailed = 'checkout.session.async_payment_failed';
const expired = 'checkout.session.expired';
const processing = { payment_status: 'unpaid' };

describe('POST /v1/billing/webhooks/stripe', function () {
  this.timeout(240_000);
  let operator: TestOperator;
  let topUp: TestTopUp;
  beforeEach(async () => {
    operator = await buildOperator();
    topUp = await beginTopUp(operator);
  });
  after(async () => assertLedger(await database()));

  const assertNothingCredited = async (): Promise<void> => assert.deepEqual(await movements(operator.operatorId), []);
  const assertCreditedOnce = async (): Promise<void> =>
    assert.deepEqual(await movements(operator.operatorId), [{ kind: 'topup', cents: topUp.amountCents }]);

  describe('refuses what the provider has not signed:', () => {
    it('a header that is missing, empty or nonsense', async () => {
      for (const signature of [null, '', 'nonsense', 't=,v1=', 'v1=00', `t=${Math.floor(Date.now() / 1_000)}`]) {
        assertProblem(await postPaymentEvent(topUpEvent(topUp), signature), 'INVALID_SIGNATURE');
      }
      await assertNothingCredited();
    });

    it('a body signed with another key', async () => {
      const body = topUpEvent(topUp);
      assertProblem(
        await postPaymentEvent(body, signPaymentEvent(body, { secret: 'whsec_of_somebody_else' })),
        'INVALID_SIGNATURE',
      );
      await assertNothingCredited();
    });

    it('the signature of another body, or of the same with other amounts', async () => {
      const signature = signPaymentEvent(topUpEvent(topUp));
      assertProblem(
        await postPaymentEvent(topUpEvent(topUp, completed, { amount_total: 999_999 }), signature),
        'INVALID_SIGNATURE',
      );
      await assertNothingCredited();
    });

    it('a body that was cut off, or the same JSON in another text', async () => {
      const body = topUpEvent(topUp);
      const signature = signPaymentEvent(body);
      for (const other of [body.slice(0, -1), `${body}\n`, JSON.stringify(JSON.parse(body), null, 2), '']) {
        assertProblem(await postPaymentEvent(other, signature), 'INVALID_SIGNATURE');
      }
      await assertNothingCredited();
    });

    it('a signature of more than five minutes ago, or of the future', async () => {
      const body = topUpEvent(topUp);
      for (const seconds of [-600, 600]) {
        // The exact second is tested in verify.test.ts.
        const at = new Date(Date.now() + seconds * 1_000);
        assertProblem(await postPaymentEvent(body, signPaymentEvent(body, { at })), 'INVALID_SIGNATURE');
      }
      await assertNothingCredited();
      assertStatus(await postPaymentEvent(body, signPaymentEvent(body, { at: new Date(Date.now() - 120_000) })), 200);
      await assertCreditedOnce();
    });

    it('more than a mebibyte', async () => {
      const body = paymentEventBody('ping', { text: 'x'.repeat(1_048_576) });
      assertProblem(await postPaymentEvent(body), 'BODY_TOO_LARGE');
    });
  });

  it('reads the bytes regardless of their Content-Type, and ignores an Idempotency-Key', async () => {
    const key = unique('key');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=iso-8859-1']) {
      const body = topUpEvent(topUp);
      const headers = { 'content-type': type, 'stripe-signature': signPaymentEvent(body), 'idempotency-key': key };
      const reply = await operator.post('/v1/billing/webhooks/stripe', body, headers);
      assert.deepEqual(assertStatus(reply, 200), { received: true });
      assert.equal(reply.headers.get('idempotency-replayed'), null);
    }
    await assertCreditedOnce();
  });

  it('answers 200 to types that mean nothing here, and to checkouts that are not ours', async () => {
    await post(paymentEventBody('product.created', { id: 'prod_1', object: 'product' }));
    await post(paymentEventBody(completed, { ...checkoutSession(metadataOf(topUp)), metadata: {} }));
    await assertNothingCredited();
  });

  it('answers 200 to amounts and ids that cannot be kept, and credits nothing', async () => {
    for (const over of [
      { amount_total: 10.5 },
      { amount_total: 1e300 },
      { payment_intent: 'pi_\0' },
      { payment_intent: 'pi_\ud800' },
    ])
      await post(topUpEvent(topUp, undefined, over));
    assert.equal(await balanceOf(operator), 0);
    await post(topUpEvent(topUp));
    assert.equal(await balanceOf(operator), 1_000);
  });

  it('credits what was paid, once, however often the event is sent, a hundred in parallel', async () => {
    const body = topUpEvent(topUp);
    const replies = await Promise.all(Array.from({ length: 100 }, () => postPaymentEvent(body)));
    for (const reply of replies) if (reply.status !== 200) assertProblem(reply, 'TEMPORARILY_UNAVAILABLE');
    await post(body);
    await assertCreditedOnce();
    assert.deepEqual(await audited(topUp.id), ['top_up.begun', 'top_up.paid']);
  });

  it('credits once, no matter which other events report the same payment, a hundred in parallel', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => postPaymentEvent(topUpEvent(topUp))));
    for (const reply of replies) if (reply.status !== 200) assertProblem(reply, 'TEMPORARILY_UNAVAILABLE');
    await post(topUpEvent(topUp));
    await assertCreditedOnce();
  });

  for (const [what, over] of [
    ['another amount than was requested', { amount_total: 999 }],
    ['no amount', { amount_total: null }],
    ['another currency', { currency: 'eur' }],
    ['no payment', { payment_intent: null }],
  ] as const) {
    it(`credits nothing for ${what}, and records that for a person`, async () => {
      const eventId = newId('evt');
      await post(topUpEvent(topUp, completed, { eventId, ...over }));
      await assertNothingCredited();
      assert.equal(await outcomeOf(eventId), 'differs');
      assert.deepEqual(await audited(topUp.id), ['top_up.begun', 'top_up.differs']);
      await post(topUpEvent(topUp));
      await assertCreditedOnce();
    });
  }

  it('credits nothing for a session or a payment that belongs to another top-up', async () => {
    const other = await beginTopUp(operator);
    const [session, payment] = [newId('evt'), newId('evt')];
    await post(topUpEvent({ ...topUp, sessionId: other.sessionId }, completed, { eventId: session }));
    await assertNothingCredited();
    await post(topUpEvent(topUp, completed, { payment_intent: 'pi_of_one' }));
    await post(topUpEvent(other, completed, { eventId: payment, payment_intent: 'pi_of_one' }));
    await assertCreditedOnce();
    assert.deepEqual([await outcomeOf(session), await outcomeOf(payment)], ['differs', 'differs']);
  });

  it('answers 200 for a top-up that does not exist, with an outcome of its own', async () => {
    const eventId = newId('evt');
    await post(topUpEvent({ ...topUp, id: newId('top') }, completed, { eventId }));
    assert.equal(await outcomeOf(eventId), 'unknown');
    await assertNothingCredited();
  });

  it('may come before the session is known here', async () => {
    const id = newId('top');
    await (
      await database()
    ).query(sql.unsafe`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (${id}, ${operator.operatorId}, 'local', 1000, 86400, 'http://carnet.test', clock_timestamp() + interval '1 day')`);
    await post(topUpEvent({ ...topUp, id, sessionId: `cs_${id}` }));
    await assertCreditedOnce();
    assert.deepEqual((await topUpRow(id)).session_id, `cs_${id}`);
  });

  it('that differs from what was asked for is checked with the provider immediately, and does not close the page', async () => {
    const eventId = unique('evt_test');
    await post(topUpEvent(topUp, completed, { eventId, amount_total: 999_999 }));
    assert.equal(await outcomeOf(eventId), 'differs');
    await assertNothingCredited();
    await settle({ pool: await database() } as Context, topUp.sessionId, 'paid'); // the provider sends no event of it
    await post(topUpEvent(topUp, completed, { amount_total: 999_999 }));
    await eventually('the credit', async () => (await topUpRow(topUp.id)).status === 'paid');
    await assertCreditedOnce();
  });

  it('waits for a payment that takes days, and credits when it has come', async () => {
    await post(topUpEvent(topUp, completed, processing));
    assert.equal((await topUpRow(topUp.id)).status, 'processing');
    await assertNothingCredited();
    await post(topUpEvent(topUp, asyncPaid));
    await assertCreditedOnce();
  });

  it('ends a top-up whose payment failed after days', async () => {
    await post(topUpEvent(topUp, completed, processing));
    await post(topUpEvent(topUp, asyncFailed, processing));
    assert.equal((await topUpRow(topUp.id)).status, 'failed');
    await assertNothingCredited();
  });

  it('credits a payment of a top-up that was given up here: the money came in', async () => {
    await post(topUpEvent(topUp, expired, processing));
    assert.equal((await topUpRow(topUp.id)).status, 'expired');
    await post(topUpEvent(topUp));
    await assertCreditedOnce();
    await post(topUpEvent(topUp, expired, processing));
    assert.equal((await topUpRow(topUp.id)).status, 'paid');
  });

  it('credits once for 1 to 10 deliveries in any order if one of them reports the payment, and else nothing', async () => {
    const facts = [
      { type: completed, over: {}, pays: true },
      { type: asyncPaid, over: {}, pays: true },
      { type: completed, over: processing, pays: false },
      { type: asyncFailed, over: processing, pays: false },
      { type: expired, over: processing, pays: false },
      { type: completed, over: { amount_total: 5 }, pays: false },
    ];
    const deliveries = fc.array(fc.record({ fact: fc.constantFrom(...facts), event: fc.nat(2) }), {
      minLength: 1,
      maxLength: 10,
    });
    const play = async (sent: { fact: (typeof facts)[number]; event: number }[], together: boolean): Promise<void> => {
      const payer = await buildOperator();
      const one = await beginTopUp(payer);
      const events = new Map<string, string>();
      const bodies = sent.map(({ fact, event }) => {
        const name = `${facts.indexOf(fact)} ${event}`;
        if (!events.has(name)) events.set(name, topUpEvent(one, fact.type, fact.over));
        return events.get(name) ?? '';
      });
      if (together) await Promise.all(bodies.map(post));
      else for (const body of bodies) await post(body);
      const expected = sent.some(({ fact }) => fact.pays) ? one.amountCents : 0;
      assert.equal(await balanceOf(payer), expected);
    };
    await fc.assert(fc.asyncProperty(deliveries, fc.boolean(), play), { numRuns: roundsOf(40, 10) });
  });

  it('stores no address of a checkout', async () => {
    await post(topUpEvent(topUp));
    await eventually('the end of the checkout', async () => (await topUpRow(topUp.id)).checkout_url === null);
    const kept = await (
      await database()
    ).oneFirst(sql.unsafe`
      select string_agg(e::text, ' ') from payment_events e where subject = ${topUp.id}`);
    assert(!String(kept).includes('http'));
  });
});
