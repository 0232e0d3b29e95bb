import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { buildMemberKey, buildOperator } from '../../support/factories.ts';
import { payLocally } from '../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import {
  postSubscribe,
  atProvider,
  auditOf,
  buildSubscriber,
  cancel,
  changesOf,
  checkoutFor,
  checkoutsOf,
  payFor,
  rowOf,
  subscriptionOf,
  untilPushed,
} from './support.ts';

const PATH = '/v1/billing/cancel-subscription';

describe('POST /v1/billing/cancel-subscription', () => {
  it('is for administrators', async () => {
    const operator = await buildSubscriber();
    assertProblem(await anonymous().post(PATH), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(PATH), 'ADMIN_REQUIRED');
    assertProblem(await operator.post(PATH, { at: 'once' }), 'VALIDATION_ERROR', 'at');
    assert.equal((await subscriptionOf(operator)).status, 'active');
  });

  for (const [who, tier] of [
    ['nothing', undefined],
    ['a tier from the platform', 'business'],
  ] as const) {
    it(`refuses an operator that has ${who}`, async () => {
      assertProblem(await cancel(await buildOperator(tier === undefined ? {} : { tier })), 'NO_SUBSCRIPTION');
    });
  }

  it('keeps the tier until the end of the period, answers the same again, and is pushed to the provider once', async () => {
    const operator = await buildSubscriber('pro');
    const { billing_period: period } = await subscriptionOf(operator);
    const canceled = assertStatus(await cancel(operator), 200);
    assert.deepEqual(canceled, {
      tier: 'pro',
      status: 'canceling',
      cancel_at_period_end: true,
      current_period_end: period.end,
    });
    assert.deepEqual(assertStatus(await cancel(operator), 200), canceled);
    const { tier, status, next_tier: next } = await subscriptionOf(operator);
    assert.deepEqual([tier, status, next], ['pro', 'canceling', 'free']);
    assert.equal((await untilPushed(operator)).revision, 1, 'the repetition decided nothing');
    assert.equal((await atProvider(operator)).cancel_at_period_end, true);
    assert.deepEqual((await auditOf(operator)).filter((action) => action === 'subscription.canceled').length, 1);
  });

  it('is taken back by subscribing to the current tier', async () => {
    const operator = await buildSubscriber('pro');
    assertStatus(await cancel(operator), 200);
    assert.deepEqual(assertStatus(await postSubscribe(operator, 'pro'), 200), {
      checkout_url: null,
      session_id: null,
      tier: 'pro',
      effective_at: null,
    });
    assert.equal((await subscriptionOf(operator)).status, 'active');
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).cancel_at_period_end, false);
  });

  it('replaces a planned smaller tier', async () => {
    const operator = await buildSubscriber('pro');
    assertStatus(await postSubscribe(operator, 'developer'), 200);
    assertStatus(await cancel(operator), 200);
    await untilPushed(operator);
    const { cancel_at_period_end: cancels, next_tier: next } = await atProvider(operator);
    assert.deepEqual([cancels, next], [true, null]);
  });

  it('gives up an unpaid checkout: it can no longer be paid, and another can begin', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    assert.deepEqual(assertStatus(await cancel(operator), 200), {
      tier: 'free',
      status: 'abandoned',
      cancel_at_period_end: false,
      current_period_end: null,
    });
    assert.deepEqual(
      (await changesOf(operator)).map(({ status, checkout_url }) => [status, checkout_url]),
      [['abandoned', null]],
    );
    assertProblem(await cancel(operator), 'NO_SUBSCRIPTION');
    const next = await checkoutFor(operator, 'pro');
    assert.notEqual(next.url, url);
    assert.deepEqual(
      await checkoutsOf(operator),
      ['expired', 'open'],
      'the first was closed before the second was opened',
    );
    await payLocally(url);
    assert.equal((await subscriptionOf(operator)).tier, 'free');
  });

  it('gives up an unpaid upgrade, and cancels the current subscription', async () => {
    const operator = await buildSubscriber('developer');
    await checkoutFor(operator, 'pro');
    assert.equal(assertStatus(await cancel(operator), 200).status, 'canceling');
    await untilPushed(operator);
    await eventually('the page to be closed', async () => (await checkoutsOf(operator)).at(-1) === 'expired');
    assert.equal((await atProvider(operator)).cancel_at_period_end, true);
    assert.equal((await subscriptionOf(operator)).pending_change, null);
  });

  it('does not lose a payment: a checkout that is paid at that very moment becomes a subscription', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    const [canceled] = await Promise.all([cancel(operator), payLocally(url)]);
    const checkout = await eventually('the page to be over', async () => {
      const [status] = await checkoutsOf(operator);
      const [change] = await changesOf(operator);
      return status !== 'open' && change?.closing === false && status;
    });
    const { tier, status } = await eventually('the subscription to follow', async () => {
      const now = await subscriptionOf(operator);
      return (checkout === 'paid') === (now.tier === 'pro') && now;
    });
    const expected =
      checkout === 'expired'
        ? ['free', 'none']
        : ['pro', canceled.body.status === 'canceling' ? 'canceling' : 'active'];
    assert.deepEqual([tier, status], expected);
  });

  it('leads to an end after which a tier can be bought again', async () => {
    const operator = await buildOperator();
    await checkoutFor(operator, 'pro');
    assertStatus(await cancel(operator), 200);
    await payFor(operator, 'developer');
    assert.equal((await rowOf(operator)).status, 'active');
  });
});
