import assert from 'node:assert/strict';
import { z } from 'zod';
import { planNextFetch } from '../../../src/billing/subscriptions/queries.ts';
import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { livesOf, type Lives } from '../../support/lives.ts';
import { endLocalPeriod, payLocally } from '../../support/local-payments.ts';
import { assertProblem, assertStatus, database, platform, service } from '../../support/service.ts';
import {
  postSubscribe,
  auditOf,
  buildSubscriber,
  cancel,
  checkoutFor,
  endPeriod,
  passPeriod,
  payFor,
  rowOf,
  subscriptionOf,
  untilSubscription,
  untilPushed,
} from './support.ts';

const hasBegun = ({ billing_period: { end } }: { billing_period: { end: string } }): boolean =>
  Date.parse(end) > Date.now();

describe('At the end of a period', () => {
  let lives: Lives;
  before(() => {
    lives = livesOf(service().credentials);
  });
  after(() => lives.close());

  it('a subscription is renewed, the next period following the one before without a gap', async () => {
    const operator = await buildSubscriber('pro');
    const ended = await passPeriod(operator);
    const renewed = await untilSubscription(operator, 'the renewal', hasBegun);
    assert.deepEqual([renewed.tier, renewed.status], ['pro', 'active']);
    assert.equal(renewed.billing_period.start, ended);
    await eventually('the trace', async () => (await auditOf(operator)).includes('subscription.renewed'));
    assert.equal((await auditOf(operator)).filter((action) => action === 'subscription.renewed').length, 1);
  });

  it('a canceled one ends: the tier is free, its life is over, and it can be bought again', async () => {
    const operator = await buildSubscriber('pro');
    assertStatus(await cancel(operator), 200);
    await untilPushed(operator);
    await endPeriod(operator);
    const ended = await untilSubscription(operator, 'the end', ({ tier }) => tier === 'free');
    assert.deepEqual(
      [ended.status, ended.cancel_at_period_end, ended.next_tier, ended.pending_change],
      ['none', false, null, null],
    );
    assert.match(ended.billing_period.start, /-01T00:00:00\.000Z$/, 'the calendar month again');
    assertProblem(await cancel(operator), 'NO_SUBSCRIPTION');
    await lives.client.workflow.getHandle(lifeId.subscription(operator.operatorId)).result();
    await payFor(operator, 'developer');
    assert.deepEqual((await auditOf(operator)).slice(-3), [
      'subscription.ended',
      'subscription.change_requested',
      'subscription.started',
    ]);
  });

  it('a planned smaller tier begins', async () => {
    const operator = await buildSubscriber('business');
    assertStatus(await postSubscribe(operator, 'developer'), 200);
    await untilPushed(operator);
    await endPeriod(operator);
    const smaller = await untilSubscription(operator, 'the smaller tier', ({ tier }) => tier === 'developer');
    assert.deepEqual([smaller.status, smaller.next_tier], ['active', null]);
  });

  it('a cancellation that reaches the provider after it has renewed counts for the period that has begun', async () => {
    const operator = await buildSubscriber('pro');
    // The provider has renewed before the cancellation reaches it.
    const { subscription_id: id } = await rowOf(operator);
    await endLocalPeriod(await database(), id);
    assertStatus(await cancel(operator), 200);
    await untilPushed(operator);
    const { tier, status } = await untilSubscription(operator, 'the new period', hasBegun);
    assert.deepEqual([tier, status], ['pro', 'canceling']);
  });

  it('a subscription that is not renewed yet is fetched again a minute later, and the tier stays meanwhile', async () => {
    const operator = await buildSubscriber('pro');
    const db = await database();
    const waits = await db.transaction(async (held) => {
      await held.query(sql.unsafe`
        update subscriptions set period_start = period_start - interval '2 months', period_end = period_end - interval '2 months'
        where operator_id = ${operator.operatorId}`);
      await planNextFetch(held, operator.operatorId, new Date().toISOString());
      return held.oneFirst(sql.type(z.object({ seconds: z.number() }))`
        select extract(epoch from next_call_at - clock_timestamp())::float8 as seconds from subscriptions where operator_id = ${operator.operatorId}`);
    });
    assert(waits > 50 && waits <= 60, `the next fetch is in ${waits} seconds`);
    assert.equal((await subscriptionOf(operator)).tier, 'pro');
  });
});

describe('A tier that the platform gives while a subscription runs', () => {
  const giveTier = ({ operatorId }: TestOperator, tier: string) =>
    platform().patch(`/v1/admin/operators/${operatorId}`, { tier });

  it('stays through renewals and through the end of the subscription', async () => {
    const operator = await buildSubscriber('developer');
    await (
      await database()
    ).query(sql.unsafe`update operators set tier = 'enterprise' where id = ${operator.operatorId}`);
    await endPeriod(operator);
    await untilSubscription(operator, 'the renewal', hasBegun);
    assert.equal((await subscriptionOf(operator)).tier, 'enterprise');
    assertStatus(await cancel(operator), 200);
    await untilPushed(operator);
    await endPeriod(operator);
    const ended = await untilSubscription(operator, 'the end', ({ status }) => status === 'none');
    assert.equal(ended.tier, 'enterprise');
  });

  it('stays where it is larger than the tier that is paid then', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    assertStatus(await giveTier(operator, 'enterprise'), 200);
    await payLocally(url);
    const { tier } = await untilSubscription(operator, 'the subscription', ({ status }) => status === 'active');
    assert.equal(tier, 'enterprise');
  });

  it('is replaced where it is smaller than the tier that is paid then', async () => {
    const operator = await buildSubscriber('developer');
    const { url } = await checkoutFor(operator, 'business');
    assertStatus(await giveTier(operator, 'free'), 200);
    await payLocally(url);
    const { tier } = await untilSubscription(operator, 'the upgrade', ({ pending_change: change }) => change === null);
    assert.equal(tier, 'business');
  });
});
