import assert from 'node:assert/strict';
import { readPaymentWebhook } from '../../../src/billing/webhook/verify.ts';
import type { PaymentFact } from '../../../src/billing/payments/event.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import {
  balanceTransaction,
  checkoutSession,
  disputeObject,
  paidInvoice,
  paymentEventBody,
  refundedCharge,
  refundObject,
  signPaymentEvent,
  subscriptionObject,
} from '../../support/payment-webhooks.ts';

const secret = 'whsec_of_the_tests';
const settings = { provider: 'local', webhookSecrets: [secret] } as const;

describe('reading a payment webhook', () => {
  const body = paymentEventBody(
    'customer.created',
    { id: 'cus_1' },
    { id: 'evt_1', createdAt: new Date('2026-11-21T12:00:00Z') },
  );
  const signed = (): string => signPaymentEvent(body, { secret }); // when a test runs: files are read minutes before

  const refusalOf = (rawBody: string | Buffer, header: string | undefined): CarnetError => {
    try {
      readPaymentWebhook(settings, Buffer.from(rawBody), header);
    } catch (error) {
      if (error instanceof CarnetError) return error;
      throw error;
    }
    throw new Error('It was taken.');
  };

  it('returns the event when the signature fits', () => {
    assert.deepEqual(readPaymentWebhook(settings, Buffer.from(body), signed()), {
      id: 'evt_1',
      type: 'customer.created',
      createdAt: new Date('2026-11-21T12:00:00Z'),
      kind: 'other',
    });
  });

  it('accepts one fitting signature of several, as after a change of the secret', () => {
    const [time, ours] = signed().split(',');
    assert.equal(readPaymentWebhook(settings, Buffer.from(body), `${time},v1=${'0'.repeat(64)},${ours}`).id, 'evt_1');
  });

  it('accepts one that is signed with any of the secrets', () => {
    const both = { provider: 'local', webhookSecrets: ['whsec_of_the_new_endpoint', secret] } as const;
    assert.equal(readPaymentWebhook(both, Buffer.from(body), signed()).id, 'evt_1');
    const old = { provider: 'local', webhookSecrets: ['whsec_of_the_new_endpoint'] } as const;
    assert.throws(() => readPaymentWebhook(old, Buffer.from(body), signed()), /does not fit/);
  });

  const notTheirs: [what: string, rawBody: string | Buffer, headerOf: () => string | undefined][] = [
    ['without a signature', body, () => undefined],
    ['with an empty signature', body, () => ''],
    ['with words for a signature', body, () => 'nonsense'],
    ['without a time', body, () => signed().replace(/t=\d+,/, '')],
    ['with a time that is none', body, () => signed().replace(/t=\d+/, 't=now')],
    ['with a signature of nothing', body, () => signed().replace(/v1=.*/, 'v1=')],
    ['with a signature that is a name alone', body, () => signed().replace(/v1=.*/, 'v1')],
    ['of a scheme that proves nothing', body, () => signed().replace('v1=', 'v0=')],
    ['signed with another secret', body, () => signPaymentEvent(body, { secret: 'whsec_another' })],
    ['signed with a secret that differs in case', body, () => signPaymentEvent(body, { secret: secret.toUpperCase() })],
    ['with the signature of another body', body, () => signPaymentEvent(`${body} `, { secret })],
    [
      'with a signature moved to another time',
      body,
      () => signed().replace(/t=(\d+)/, (_, t: string) => `t=${Number(t) + 1}`),
    ],
    ['cut short', body.slice(0, -1), signed],
    ['serialised anew', JSON.stringify(JSON.parse(body), null, 1), signed],
    ['with one byte changed', body.replace('evt_1', 'evt_2'), signed],
    ['empty', '', signed],
  ];
  for (const [what, rawBody, headerOf] of notTheirs) {
    it(`refuses one ${what}`, () => {
      const refusal = refusalOf(rawBody, headerOf());
      assert.equal(refusal.code, 'INVALID_SIGNATURE');
      assert.equal(refusal.status, 401);
      assert.match(refusal.message, /^The (Stripe-Signature header is missing|signature does not fit the body)\.$/);
    });
  }

  describe('by a clock that stands still', () => {
    const { now } = Date;
    const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
    beforeEach(() => {
      const noon = Date.parse('2026-11-21T12:00:00Z');
      Date.now = () => noon;
    });
    afterEach(() => {
      Date.now = now;
    });

    it('refuses one signed more than 300 seconds from now, before or after', () => {
      for (const seconds of [-301, 301]) {
        const refusal = refusalOf(body, signPaymentEvent(body, { secret, at: at(seconds) }));
        assert.deepEqual(
          [refusal.code, refusal.message],
          ['INVALID_SIGNATURE', 'The signature was made more than 300 seconds from now.'],
        );
      }
    });

    it('uses the time that is signed, where the header has several', () => {
      const header = signPaymentEvent(body, { secret, at: at(3_600) });
      assert.equal(refusalOf(body, `t=${Math.floor(Date.now() / 1_000)},${header}`).code, 'INVALID_SIGNATURE');
    });

    it('accepts what was signed within 300 seconds, before or after now', () => {
      for (const seconds of [-300, 300]) {
        const header = signPaymentEvent(body, { secret, at: at(seconds) });
        assert.equal(readPaymentWebhook(settings, Buffer.from(body), header).id, 'evt_1');
      }
    });
  });

  for (const text of [
    'not JSON',
    '[]',
    'null',
    '7',
    '{}',
    '{"object":"v2.core.event"}',
    body.replace('"created":', '"was":'),
    body.replace('evt_1', ''),
    body.replace('evt_1', 'evt_\\u0000'),
    body.replace('evt_1', 'evt_\\ud800'),
    body.replace('customer.created', 'customer.\\u0000'),
    body.replace('"created":', '"created":1e300,"was":'),
    body.replace('"created":', '"created":1.5,"was":'),
  ]) {
    it(`refuses ${text.slice(0, 30)}, although it is signed, since it is no event`, () => {
      assert.equal(refusalOf(text, signPaymentEvent(text, { secret })).code, 'VALIDATION_ERROR');
    });
  }
});

describe('the meaning of an event of Stripe', () => {
  const factOf = (type: string, object: Record<string, unknown>): PaymentFact => {
    const text = paymentEventBody(type, object);
    const {
      id: _id,
      type: _type,
      createdAt: _createdAt,
      ...fact
    } = readPaymentWebhook(settings, Buffer.from(text), signPaymentEvent(text, { secret }));
    return fact;
  };
  const metadata = { carnet_purpose: 'top_up', carnet_reference: 'top_1', carnet_operator: 'op_1' } as const;
  const session = (over: Record<string, unknown> = {}) =>
    checkoutSession(metadata, { id: 'cs_1', amountCents: 2_500, ...over });

  const checkouts: [type: string, paymentStatus: string, outcome: string][] = [
    ['checkout.session.completed', 'paid', 'paid'],
    ['checkout.session.completed', 'unpaid', 'processing'],
    ['checkout.session.completed', 'no_payment_required', 'processing'],
    ['checkout.session.async_payment_succeeded', 'paid', 'paid'],
    ['checkout.session.async_payment_failed', 'unpaid', 'failed'],
    ['checkout.session.expired', 'unpaid', 'expired'],
  ];
  for (const [type, paymentStatus, outcome] of checkouts) {
    it(`${type} with payment_status ${paymentStatus} is ${outcome}`, () => {
      assert.deepEqual(factOf(type, session({ payment_status: paymentStatus })), {
        kind: 'checkout',
        outcome,
        purpose: 'top_up',
        reference: 'top_1',
        sessionId: 'cs_1',
        amountCents: 2_500,
        currency: 'usd',
        paymentId: 'pi_cs_1',
      });
    });
  }

  it('reads an expanded object as its id', () => {
    const fact = factOf(
      'checkout.session.completed',
      session({ payment_intent: { id: 'pi_7', object: 'payment_intent' } }),
    );
    assert(fact.kind === 'checkout');
    assert.equal(fact.paymentId, 'pi_7');
  });

  const notOurs: [what: string, type: string, object: Record<string, unknown>][] = [
    ['a checkout without our metadata', 'checkout.session.completed', session({ metadata: {} })],
    [
      'a checkout with a purpose we do not know',
      'checkout.session.completed',
      session({ metadata: { ...metadata, carnet_purpose: 'gift' } }),
    ],
    [
      'a refund of a charge without a payment intent',
      'charge.refunded',
      refundedCharge({ paymentId: 'pi_1', amountCents: 100, refundedCents: 100 }, { payment_intent: null }),
    ],
    [
      'a dispute of a charge without a payment intent',
      'charge.dispute.created',
      disputeObject({ id: 'dp_1', paymentId: 'pi_1', amountCents: 100 }, { payment_intent: null }),
    ],
    [
      'a subscription of something else',
      'customer.subscription.updated',
      { ...subscriptionObject({ id: 'sub_1', operatorId: '', tier: 'pro' }), metadata: {} },
    ],
    ['an invoice without subscription', 'invoice.paid', { object: 'invoice', parent: null }],
    ['a type of the prototype', 'constructor', {}],
  ];
  for (const [what, type, object] of notOurs)
    it(`${what} means nothing here`, () => assert.deepEqual(factOf(type, object), { kind: 'other' }));

  /** Amounts and texts that no column takes as they are: the provider would send the event again for days. */
  const amounts = [10.5, 1e300, 2 ** 60];
  const texts = ['pi_\0', 'pi_\ud800', '\udc00pi'];
  const subscription = subscriptionObject({ id: 'sub_1', operatorId: 'op_1', tier: 'pro' });
  const unkeepable: [type: string, objects: Record<string, unknown>[]][] = [
    [
      'checkout.session.completed',
      [
        ...amounts.map((amount_total) => session({ amount_total })),
        ...texts.flatMap((text) => [
          session({ id: text }),
          session({ payment_intent: text }),
          session({ payment_intent: { id: text } }),
          session({ currency: text }),
          session({ metadata: { ...metadata, carnet_reference: text } }),
        ]),
      ],
    ],
    ['charge.refunded', texts.map((text) => refundedCharge({ paymentId: text, amountCents: 100, refundedCents: 100 }))],
    [
      'refund.failed',
      [
        ...[...amounts, -1].map((amount) =>
          refundObject({ id: 're_1', paymentId: 'pi_1', status: 'failed' }, { amount }),
        ),
        ...texts.flatMap((text) => [
          refundObject({ id: text, paymentId: 'pi_1', status: 'failed' }),
          refundObject({ id: 're_1', paymentId: text, status: 'failed' }),
        ]),
      ],
    ],
    [
      'charge.dispute.created',
      [
        ...[...amounts, 0, -1].map((amount) => disputeObject({ id: 'dp_1', paymentId: 'pi_1', amountCents: amount })),
        ...amounts.map((amount) =>
          disputeObject(
            { id: 'dp_1', paymentId: 'pi_1', amountCents: 100 },
            { balance_transactions: [balanceTransaction('txn_1', amount)] },
          ),
        ),
        disputeObject(
          { id: 'dp_1', paymentId: 'pi_1', amountCents: 2 ** 50 },
          {
            balance_transactions: [
              balanceTransaction('txn_1', -1, { currency: 'eur' }),
              balanceTransaction('txn_2', 2 ** 50, { currency: 'eur' }),
            ],
          },
        ),
        ...texts.flatMap((text) => [
          disputeObject({ id: text, paymentId: 'pi_1', amountCents: 100 }),
          disputeObject({ id: 'dp_1', paymentId: text, amountCents: 100 }),
          disputeObject({ id: 'dp_1', paymentId: 'pi_1', amountCents: 100 }, { status: text }),
          disputeObject(
            { id: 'dp_1', paymentId: 'pi_1', amountCents: 100 },
            { balance_transactions: [balanceTransaction(text, -100)] },
          ),
        ]),
      ],
    ],
    [
      'transfer.reversed',
      [
        ...amounts.map((amount_reversed) => ({ id: 'tr_1', object: 'transfer', amount: 100, amount_reversed })),
        ...texts.map((id) => ({ id, object: 'transfer', amount: 100, amount_reversed: 100 })),
      ],
    ],
    [
      'customer.subscription.updated',
      [
        ...texts.flatMap((text) => [
          { ...subscription, id: text },
          { ...subscription, customer: text },
          { ...subscription, metadata: { carnet_operator: text } },
        ]),
        { ...subscription, current_period_start: 1e300 },
        { ...subscription, items: { data: [{ id: 'si_1', price: { id: 'price_seat' }, quantity: 1.5 }] } },
      ],
    ],
    ['invoice.paid', texts.map((id) => paidInvoice(id))],
  ];
  it('a refund is reported no matter what others wrote into its metadata, with our key where that can be kept', () => {
    const keyOf = (written: unknown) => {
      const fact = factOf(
        'refund.failed',
        refundObject({ id: 're_1', paymentId: 'pi_1', status: 'failed' }, { metadata: written }),
      );
      assert(fact.kind === 'refund' && fact.paymentId === 'pi_1', JSON.stringify(written));
      return fact.key;
    };
    for (const text of [...texts, null, 1]) {
      assert.equal(keyOf({ carnet_key: text }), null);
      assert.equal(keyOf({ carnet_key: 'refund:txn_1', note: text }), 'refund:txn_1');
    }
    for (const written of [null, undefined, '', []]) assert.equal(keyOf(written), null);
  });

  for (const [type, objects] of unkeepable)
    it(`${type} with an amount or a text that cannot be kept as it is means nothing here`, () => {
      for (const object of objects) assert.deepEqual(factOf(type, object), { kind: 'other' }, JSON.stringify(object));
    });

  it('an event on a connected account means nothing here, no matter which metadata it has', () => {
    const ofOurs = paymentEventBody('checkout.session.completed', session());
    const text = JSON.stringify({ ...(JSON.parse(ofOurs) as object), account: 'acct_of_a_publisher' });
    assert.equal(
      readPaymentWebhook(settings, Buffer.from(ofOurs), signPaymentEvent(ofOurs, { secret })).kind,
      'checkout',
    );
    assert.equal(readPaymentWebhook(settings, Buffer.from(text), signPaymentEvent(text, { secret })).kind, 'other');
  });

  it('charge.refunded names the payment, and no sum of it is read', () => {
    for (const cents of [200, 1.5])
      assert.deepEqual(
        factOf('charge.refunded', refundedCharge({ paymentId: 'pi_1', amountCents: 500, refundedCents: cents })),
        {
          kind: 'refunded',
          paymentId: 'pi_1',
        },
      );
  });

  for (const [status, ours] of [
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ]) {
    it(`a refund that is ${status} is ${ours}`, () => {
      for (const type of ['refund.created', 'refund.updated', 'refund.failed']) {
        const fact = {
          kind: 'refund',
          providerRefundId: 're_1',
          paymentId: 'pi_1',
          key: null,
          amountCents: 1_000,
          currency: 'usd',
          status: ours,
        };
        assert.deepEqual(factOf(type, refundObject({ id: 're_1', paymentId: 'pi_1', status: status ?? '' })), fact);
        const requested = refundObject(
          { id: 're_1', paymentId: 'pi_1', status: status ?? '' },
          { metadata: { carnet_key: 'refund:txn_1' } },
        );
        assert.deepEqual(factOf(type, requested), { ...fact, key: 'refund:txn_1' });
      }
    });
  }

  const disputes: [status: string, standing: string][] = [
    ['warning_needs_response', 'none'],
    ['warning_under_review', 'none'],
    ['warning_closed', 'none'],
    ['needs_response', 'taken'],
    ['under_review', 'taken'],
    ['appeal_needs_response', 'taken'],
    ['appeal_under_review', 'taken'],
    ['lost', 'taken'],
    ['won', 'won'],
    ['prevented', 'none'],
    ['something_new', 'unlisted'],
  ];
  for (const [status, standing] of disputes) {
    it(`a dispute that is ${status} has its money ${standing}, no matter what the event is called`, () => {
      for (const type of ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated']) {
        const { stage: _stage, ...fact } = Object.assign(
          { stage: null },
          factOf(
            `charge.dispute.${type}`,
            disputeObject({ id: 'dp_1', paymentId: 'pi_1', amountCents: 700 }, { status }),
          ),
        );
        assert.deepEqual(fact, {
          kind: 'dispute',
          disputeId: 'dp_1',
          paymentId: 'pi_1',
          amountCents: 700,
          currency: 'usd',
          status,
          standing,
          movements: null,
        });
      }
    });
  }

  it('a dispute carries what was withdrawn and reinstated so far', () => {
    const balance_transactions = [balanceTransaction('txn_1', -700), balanceTransaction('txn_2', 300)];
    const fact = factOf(
      'charge.dispute.updated',
      disputeObject({ id: 'dp_1', paymentId: 'pi_1', amountCents: 700 }, { balance_transactions }),
    );
    assert(fact.kind === 'dispute');
    assert.deepEqual(fact.movements, [
      { id: 'txn_1', cents: -700 },
      { id: 'txn_2', cents: 300 },
    ]);
  });

  it('invoice.paid names its subscription, in the shape of new and old API versions', () => {
    assert.deepEqual(factOf('invoice.paid', paidInvoice('sub_1')), { kind: 'invoice_paid', subscriptionId: 'sub_1' });
    assert.deepEqual(factOf('invoice.paid', { object: 'invoice', subscription: 'sub_2' }), {
      kind: 'invoice_paid',
      subscriptionId: 'sub_2',
    });
  });

  describe('of a subscription', () => {
    const start = new Date('2026-11-01T00:00:00Z');
    const end = new Date('2026-12-01T00:00:00Z');
    const made = (over: Record<string, unknown> = {}) => ({
      ...subscriptionObject({
        id: 'sub_1',
        operatorId: 'op_1',
        tier: 'pro',
        seats: 3,
        periodStart: start,
        periodEnd: end,
      }),
      ...over,
    });
    const stateOf = (object: Record<string, unknown>) => {
      const fact = factOf('customer.subscription.updated', object);
      assert(fact.kind === 'subscription');
      return fact.state;
    };
    const pro = {
      subscriptionId: 'sub_1',
      customerId: 'cus_test',
      status: 'active',
      tier: 'pro',
      purchasedSeats: 3,
      cancelAtPeriodEnd: false,
      nextTier: null,
      currentPeriodStart: start,
      currentPeriodEnd: end,
    };
    const endSeconds = end.getTime() / 1_000;

    it('tier, seats and period', () => assert.deepEqual(stateOf(made()), pro));

    it('the period of older API versions, which the subscription itself has', () => {
      const items = { data: [{ id: 'si_1', price: { id: 'local_pro' }, quantity: 1 }] };
      const older = made({ items, current_period_start: start.getTime() / 1_000, current_period_end: endSeconds });
      assert.deepEqual(stateOf(older), { ...pro, purchasedSeats: 0 });
    });

    it('a cancellation at the end of the period, in both forms', () => {
      for (const over of [{ cancel_at_period_end: true }, { cancel_at: endSeconds }]) {
        assert.deepEqual(stateOf(made(over)), { ...pro, cancelAtPeriodEnd: true });
      }
      assert.deepEqual(stateOf(made({ cancel_at: endSeconds + 1 })), pro);
    });

    it('the tier that is paid for, while a downgrade is planned, and no longer', () => {
      const lowered = {
        ...subscriptionObject({
          id: 'sub_1',
          operatorId: 'op_1',
          tier: 'developer',
          seats: 3,
          periodStart: start,
          periodEnd: end,
        }),
      };
      const kept = { carnet_operator: 'op_1', carnet_tier: 'pro', carnet_tier_until: String(endSeconds) };
      assert.deepEqual(stateOf({ ...lowered, metadata: kept }), { ...pro, nextTier: 'developer' });
      const renewed = { ...kept, carnet_tier_until: String(endSeconds - 30 * 86_400) };
      assert.deepEqual(stateOf({ ...lowered, metadata: renewed }), { ...pro, tier: 'developer' });
    });

    for (const [status, ours] of Object.entries({
      trialing: 'active',
      past_due: 'past_due',
      unpaid: 'unpaid',
      paused: 'unpaid',
      canceled: 'canceled',
      incomplete: 'incomplete',
      incomplete_expired: 'canceled',
      something_new: 'incomplete',
    })) {
      it(`status ${status} is ${ours}`, () => assert.equal(stateOf(made({ status })).status, ours));
    }

    const priced = (...ids: string[]) => ({
      items: {
        data: ids.map((id, index) => ({
          id: `si_${index}`,
          price: { id },
          quantity: index + 1,
          current_period_start: start.getTime() / 1_000,
          current_period_end: endSeconds,
        })),
      },
    });

    it('a price that no setting names is no tier, and the rest is read', () => {
      const unknown = { ...pro, tier: null, purchasedSeats: 0, cancelAtPeriodEnd: true };
      assert.deepEqual(stateOf(made({ ...priced('price_foreign'), cancel_at_period_end: true })), unknown);
      assert.deepEqual(stateOf(made(priced('price_foreign', 'local_seat'))), { ...pro, tier: null, purchasedSeats: 2 });
      assert.deepEqual(stateOf(made(priced('local_pro', 'price_foreign'))), { ...pro, purchasedSeats: null });
    });
  });
});
