import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { buildMemberKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { payLocally } from '../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus, type Reply } from '../../support/service.ts';
import { untilAnswered } from '../../support/until-answered.ts';
import type { Subscribed } from '../../../src/billing/subscriptions/schema.ts';
import {
  auditOf,
  buildSubscriber,
  changesOf,
  checkoutFor,
  checkoutsOf,
  postSubscribe,
  rowOf,
  subscriptionOf,
  untilSubscription,
} from './support.ts';

const PATH = '/v1/billing/subscription/change';

const openAnew = (operator: TestOperator, key = unique('key')): Promise<Reply<Subscribed>> =>
  untilAnswered(() => operator.post<Subscribed>(`${PATH}/checkout`, undefined, { 'idempotency-key': key }), 45);

describe('DELETE /v1/billing/subscription/change', () => {
  it('is for administrators, and for those with a change that waits', async () => {
    const operator = await buildSubscriber('developer');
    assertProblem(await anonymous().delete(PATH), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).delete(PATH), 'ADMIN_REQUIRED');
    assertProblem(await operator.delete(PATH), 'NOT_FOUND');
    assert.equal((await subscriptionOf(operator)).status, 'active');
  });

  it('gives up an upgrade and nothing else: the subscription goes on, and another change can begin', async () => {
    const operator = await buildSubscriber('developer');
    const { url } = await checkoutFor(operator, 'pro');
    const refused = await postSubscribe(operator, 'business');
    assertProblem(refused, 'CONFLICT');
    assert.match(refused.text, /DELETE \/v1\/billing\/subscription\/change/);
    assert.deepEqual(assertStatus(await operator.delete(PATH), 200), { deleted: true });
    const { tier, status, pending_change: waiting } = await subscriptionOf(operator);
    assert.deepEqual([tier, status, waiting], ['developer', 'active', null]);
    assert.equal((await rowOf(operator)).cancel_at_period_end, false);
    assert.equal((await auditOf(operator)).at(-1), 'subscription.change_abandoned');
    assertProblem(await operator.delete(PATH), 'NOT_FOUND');
    await eventually('the page to be closed', async () => (await checkoutsOf(operator)).at(-1) === 'expired');
    await payLocally(url);
    assert.equal((await subscriptionOf(operator)).tier, 'developer');
    assert.notEqual((await checkoutFor(operator, 'business')).url, url);
  });

  it('gives up the checkout of a first subscription', async () => {
    const operator = await buildOperator();
    await checkoutFor(operator, 'pro');
    assertStatus(await operator.delete(PATH), 200);
    assert.deepEqual(
      (await changesOf(operator)).map(({ status }) => status),
      ['abandoned'],
    );
  });
});

describe('POST /v1/billing/subscription/change/checkout', () => {
  it('is for administrators, and for those with a change that waits', async () => {
    const operator = await buildSubscriber('developer');
    assertProblem(await anonymous().post(`${PATH}/checkout`), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(`${PATH}/checkout`), 'ADMIN_REQUIRED');
    assertProblem(await operator.post(`${PATH}/checkout`), 'NOT_FOUND');
  });

  it('opens the page of an upgrade again, which is the one that can be paid', async () => {
    const operator = await buildSubscriber('developer');
    const first = await checkoutFor(operator, 'pro');
    const key = unique('key');
    const again = assertStatus(await openAnew(operator, key), 200);
    assert.deepEqual([again.tier, again.effective_at], ['pro', null]);
    assert.notEqual(again.checkout_url, first.url);
    assert.deepEqual(assertStatus(await openAnew(operator, key), 200), again, 'a repeated key opens no third page');
    assert.equal((await subscriptionOf(operator)).pending_change?.checkout_url, again.checkout_url);
    await payLocally(first.url);
    assert.equal((await subscriptionOf(operator)).tier, 'developer', 'the first page is over');
    await payLocally(again.checkout_url ?? '');
    await untilSubscription(
      operator,
      'the upgrade',
      ({ tier, pending_change: waiting }) => tier === 'pro' && waiting === null,
    );
    assert.equal((await changesOf(operator)).at(-1)?.status, 'done');
  });

  it('answers the same page of a first subscription, which is open until its time is over', async () => {
    const operator = await buildOperator();
    const first = await checkoutFor(operator, 'pro');
    assert.equal(assertStatus(await openAnew(operator), 200).checkout_url, first.url);
  });

  it('opens one page for callers in parallel, and none beside one that was given up', async () => {
    const operator = await buildSubscriber('developer');
    await checkoutFor(operator, 'pro');
    const replies = await Promise.all([openAnew(operator), openAnew(operator), openAnew(operator)]);
    for (const reply of replies) assertStatus(reply, 200);
    assertStatus(await operator.delete(PATH), 200);
    await eventually('every page to be closed', async () => {
      const pages = await checkoutsOf(operator);
      return pages.filter((status) => status === 'open').length === 0;
    });
    assertProblem(await operator.post(`${PATH}/checkout`), 'NOT_FOUND');
  });
});
