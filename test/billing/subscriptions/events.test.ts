import assert from 'node:assert/strict';
import fc from 'fast-check';
import { settle } from '../../../src/billing/payments/local/settle.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { postApproved } from '../../governance/support.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import {
  checkoutSession,
  paidInvoice,
  paymentEventBody,
  postPaymentEvent,
  subscriptionObject,
  type SubscriptionObjectOptions,
} from '../../support/payment-webhooks.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { casesOf } from '../cases/support.ts';
import { outcomeOf } from '../payments/support.ts';
import {
  postSubscribe,
  auditOf,
  buildSubscriber,
  changesOf,
  checkoutFor,
  endCheckout,
  rowOf,
  seats,
  subscriptionOf,
  untilSubscription,
  untilPushed,
} from './support.ts';

/** Seconds before or after now, at which an event was made. */
const at = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

type Reported = Pick<SubscriptionObjectOptions, 'id'> & Partial<Omit<SubscriptionObjectOptions, 'id' | 'operatorId'>>;

interface Made {
  createdAt: Date;
  eventId?: string | undefined;
}

/** An event about a subscription at a provider, with states that the local one does not have. */
const eventOf = (operator: TestOperator, reported: Reported, { createdAt, eventId }: Made): string => {
  const type = reported.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated';
  const object = subscriptionObject({ operatorId: operator.operatorId, tier: 'pro', ...reported });
  return paymentEventBody(type, object, { createdAt, ...(eventId !== undefined && { id: eventId }) });
};

/** Such an event, of a subscription all of whose prices no setting names. */
function pricedOf(operator: TestOperator, reported: Reported, made: Made): string {
  const { data, ...event } = JSON.parse(eventOf(operator, reported, made)) as {
    data: { object: { items: { data: { price: { id: string } }[] } } };
  };
  for (const item of data.object.items.data) item.price.id = 'price_of_before';
  return JSON.stringify({ ...event, data });
}

const post = async (body: string): Promise<void> => void assertStatus(await postPaymentEvent(body), 200);

const newSubscription = (): string => unique('sub_test');

describe('A payment event about a subscription', () => {
  it('gives the tier, and takes it when the subscription has ended', async () => {
    const [operator, id] = [await buildOperator(), newSubscription()];
    await post(eventOf(operator, { id, tier: 'pro', seats: 2 }, { createdAt: at(-60) }));
    const { tier, status, purchased_seats: bought } = await subscriptionOf(operator);
    assert.deepEqual([tier, status, bought], ['pro', 'active', 2]);
    await post(eventOf(operator, { id, status: 'canceled' }, { createdAt: at(-30) }));
    const ended = await subscriptionOf(operator);
    assert.deepEqual([ended.tier, ended.status, ended.purchased_seats], ['free', 'none', 0]);
  });

  for (const [status, tier] of [
    ['past_due', 'pro'],
    ['unpaid', 'free'],
    ['incomplete', 'free'],
    ['canceled', 'free'],
  ] as const) {
    it(`with status ${status} makes the tier ${tier}`, async () => {
      const [operator, id] = [await buildOperator(), newSubscription()];
      await post(eventOf(operator, { id }, { createdAt: at(-60) }));
      await post(eventOf(operator, { id, status }, { createdAt: at(-30) }));
      assert.equal((await subscriptionOf(operator)).tier, tier);
    });
  }

  it('with status unpaid blocks buying until the invoice is paid, which gives the tier back', async () => {
    const [operator, id] = [await buildOperator(), newSubscription()];
    await post(eventOf(operator, { id }, { createdAt: at(-60) }));
    await post(eventOf(operator, { id, status: 'unpaid' }, { createdAt: at(-40) }));
    assert.equal((await subscriptionOf(operator)).status, 'unpaid');
    assertProblem(await postSubscribe(operator, 'business'), 'CONFLICT');
    assertProblem(await seats(operator, 1), 'SEATS_OUT_OF_RANGE');
    await post(eventOf(operator, { id }, { createdAt: at(-20) }));
    const { tier, status } = await subscriptionOf(operator);
    assert.deepEqual([tier, status], ['pro', 'active']);
  });

  it('with status incomplete gives nothing', async () => {
    const operator = await buildOperator();
    await post(eventOf(operator, { id: newSubscription(), status: 'incomplete' }, { createdAt: at(-60) }));
    assert.equal((await subscriptionOf(operator)).tier, 'free');
  });

  it('counts once, however often it comes', async () => {
    const [operator, id, eventId] = [await buildOperator(), newSubscription(), unique('evt_test')];
    const body = eventOf(operator, { id }, { createdAt: at(-60), eventId });
    for (let time = 0; time < 3; time += 1) await post(body);
    assert.deepEqual(await auditOf(operator), ['subscription.started']);
  });

  it('with a price that no setting names tells everything but the tier, and is recorded for a person', async () => {
    const [operator, id] = [await buildOperator(), newSubscription()];
    const outcomes = async (
      reported: Omit<Reported, 'id'>,
      made: { createdAt: Date; eventId: string },
    ): Promise<string | null> => {
      await post(pricedOf(operator, { id, ...reported }, made));
      return outcomeOf(made.eventId);
    };
    const events = [unique('evt_test'), unique('evt_test'), unique('evt_test')] as const;
    const alarms = async (): Promise<unknown[]> =>
      (await casesOf(operator)).map(({ alarm, concerns, amount_cents }) => [alarm, concerns, amount_cents]);
    // It says nothing of a tier, so it gives none.
    assert.equal(await outcomes({}, { createdAt: at(-90), eventId: events[0] }), 'unknown_price');
    assert.equal((await subscriptionOf(operator)).tier, 'free');
    assert.deepEqual(await alarms(), [['unknown_price', id, null]]);
    const [alarm] = await casesOf(operator);
    const reason = 'The setting is on its way.';
    await buildPerson({ operatorId: 'op_platform' }, 'owner'); // where there are two, one approves what the key requests
    const person = await signIn('platform@carnet.invalid');
    assertStatus(
      await postApproved(person, `/v1/admin/billing/alarms/${alarm?.id}/dismiss`, { body: { reason } }),
      200,
    );
    await post(eventOf(operator, { id, tier: 'pro', seats: 2 }, { createdAt: at(-80) }));
    assert.deepEqual(await alarms(), []);
    assert.equal(
      await outcomes({ seats: 2, cancelAtPeriodEnd: true }, { createdAt: at(-60), eventId: events[1] }),
      'unknown_price',
    );
    const canceling = await subscriptionOf(operator);
    assert.deepEqual([canceling.tier, canceling.status, canceling.purchased_seats], ['pro', 'canceling', 2]);
    assert.deepEqual(await alarms(), [['unknown_price', id, null]]);
    await outcomes({ status: 'canceled' }, { createdAt: at(-30), eventId: events[2] });
    assert.equal((await subscriptionOf(operator)).tier, 'free');
    assert.deepEqual(await alarms(), []);
  });

  it('that is older than what is known changes nothing: an update after the end', async () => {
    const [operator, id] = [await buildOperator(), newSubscription()];
    await post(eventOf(operator, { id, tier: 'business' }, { createdAt: at(-90) }));
    await post(eventOf(operator, { id, status: 'canceled' }, { createdAt: at(-30) }));
    await post(eventOf(operator, { id, tier: 'business', seats: 4 }, { createdAt: at(-60) }));
    const { tier, purchased_seats: bought } = await subscriptionOf(operator);
    assert.deepEqual([tier, bought], ['free', 0]);
  });

  it('leads to the same end in any order and with any repetition', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 0, 1, 2, 3, 4], { minLength: 10 }), async (order) => {
        const [operator, id] = [await buildOperator(), newSubscription()];
        const story: Omit<Reported, 'id'>[] = [
          { tier: 'developer' },
          { tier: 'pro' },
          { tier: 'pro', status: 'past_due' },
          { tier: 'pro', seats: 3 },
          { tier: 'business', seats: 3 },
        ];
        const bodies = story.map((reported, index) =>
          eventOf(operator, { id, ...reported }, { createdAt: at(index * 10 - 100), eventId: unique('evt_test') }),
        );
        for (const index of order) await post(bodies[index] ?? '');
        const { tier, status, purchased_seats: bought } = await subscriptionOf(operator);
        assert.deepEqual([tier, status, bought], ['business', 'active', 3]);
      }),
      { numRuns: 12 },
    );
  });

  it('about a second subscription of the same operator changes nothing, and is in the audit trail', async () => {
    const [operator, id] = [await buildOperator(), newSubscription()];
    await post(eventOf(operator, { id, tier: 'pro' }, { createdAt: at(-60) }));
    await post(eventOf(operator, { id: newSubscription(), tier: 'business' }, { createdAt: at(-30) }));
    assert.equal((await subscriptionOf(operator)).tier, 'pro');
    assert.equal((await auditOf(operator)).at(-1), 'subscription.second');
  });

  it('about a second one that the provider does not give back is recorded for a person, its price is not', async () => {
    const [operator, second] = [await buildOperator(), newSubscription()];
    await post(eventOf(operator, { id: newSubscription() }, { createdAt: at(-60) }));
    await post(pricedOf(operator, { id: second }, { createdAt: at(-30) }));
    const alarms = async () =>
      (await casesOf(operator)).map(({ alarm, concerns, currency }) => [alarm, concerns, currency]);
    const left = [['subscription_not_given_back', second, null]];
    await eventually('the alarm', async () => (await alarms()).flat().includes('subscription_not_given_back'));
    assert.deepEqual(await alarms(), left);
    await post(pricedOf(operator, { id: second, seats: 1 }, { createdAt: at(-20) }));
    assert.deepEqual(await alarms(), left);
  });

  it('about another one counts for its price as of its own time', async () => {
    const [operator, first, second] = [await buildOperator(), newSubscription(), newSubscription()];
    await post(eventOf(operator, { id: first }, { createdAt: at(-60) }));
    await post(eventOf(operator, { id: first, status: 'canceled' }, { createdAt: at(-30) }));
    const alarms = async () => (await casesOf(operator)).map(({ alarm, concerns }) => [alarm, concerns]);
    await post(pricedOf(operator, { id: second }, { createdAt: at(-40) }));
    assert.deepEqual(await alarms(), [['unknown_price', second]]);
    await post(pricedOf(operator, { id: second, status: 'canceled' }, { createdAt: at(-35) }));
    assert.deepEqual(await alarms(), []);
  });

  it('about an unknown operator is accepted and changes nothing', async () => {
    const stranger = { operatorId: unique('op_elsewhere') } as TestOperator;
    await post(eventOf(stranger, { id: newSubscription() }, { createdAt: at(-60) }));
    await post(paymentEventBody('invoice.paid', paidInvoice(newSubscription())));
    const metadata = {
      carnet_purpose: 'subscription',
      carnet_reference: 'sbc_none',
      carnet_operator: stranger.operatorId,
    } as const;
    await post(
      paymentEventBody('checkout.session.completed', checkoutSession(metadata, { subscription: newSubscription() })),
    );
  });

  it('does not overwrite what the operator has decided since', async () => {
    const operator = await buildSubscriber('pro');
    const { subscription_id: id } = await rowOf(operator);
    // Nothing reaches the provider meanwhile: the row in which the call is stored is locked.
    const db = await database();
    await db.transaction(async (held) => {
      await held.query(sql.unsafe`select from local_subscriptions where id = ${id} for update`);
      assertStatus(await seats(operator, 4), 200);
      await post(eventOf(operator, { id, tier: 'pro', seats: 1 }, { createdAt: at(2) }));
      assert.equal((await subscriptionOf(operator)).purchased_seats, 4);
    });
    await untilSubscription(operator, 'what was decided', ({ purchased_seats: bought }) => bought === 4);
  });

  it('of a clock that is ahead does not hide a later answer of the provider', async () => {
    const operator = await buildSubscriber('pro');
    const { subscription_id: id } = await rowOf(operator);
    await post(eventOf(operator, { id, tier: 'business' }, { createdAt: at(3_600) }));
    await untilSubscription(operator, 'the tier that the provider has', ({ tier }) => tier === 'pro');
    assertStatus(await seats(operator, 1), 200);
    await untilPushed(operator);
  });

  it('that was lost loses nothing: the life checks when the checkout should be over', async () => {
    const operator = await buildOperator();
    const { sessionId } = await checkoutFor(operator, 'pro');
    // Paid at the provider, without any event.
    const events = await settle({ pool: await database() } as Context, sessionId, 'paid');
    assert.equal(events?.length, 3);
    assert.equal((await subscriptionOf(operator)).tier, 'free');
    await endCheckout(operator);
    const found = await untilSubscription(operator, 'the tier', ({ tier }) => tier === 'pro');
    assert.equal(found.pending_change, null);
    assert.equal((await changesOf(operator))[0]?.status, 'done');
  });

  it('of a checkout is enough, although it carries less than the subscription: the life fetches the rest', async () => {
    const operator = await buildSubscriber('pro');
    const { subscription_id: id } = await rowOf(operator);
    await (await database()).query(sql.unsafe`update local_subscriptions set tier = 'business' where id = ${id}`);
    await post(paymentEventBody('invoice.paid', paidInvoice(id)));
    await eventually('the tier of the provider', async () => (await subscriptionOf(operator)).tier === 'business');
  });
});
