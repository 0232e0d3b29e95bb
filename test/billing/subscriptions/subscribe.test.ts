import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { paidTiers } from '../../../src/fields/tiers.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { eventually } from '../../support/eventually.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { expireLocally, failLocally, openLocalPage, payLocally } from '../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus, database, platform } from '../../support/service.ts';
import {
  postSubscribe,
  atProvider,
  auditOf,
  buildSubscriber,
  changesOf,
  checkoutFor,
  checkoutsOf,
  endCheckout,
  payFor,
  rowOf,
  subscriptionOf,
  untilSubscription,
  untilPushed,
} from './support.ts';

const PATH = '/v1/billing/subscribe';

describe('POST /v1/billing/subscribe', () => {
  it('is for administrators', async () => {
    const operator = await buildOperator();
    const body = { tier: 'pro' };
    assertProblem(await anonymous().post(PATH, body), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(PATH, body), 'ADMIN_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.post(PATH, body), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('refuses what is not for sale: free, enterprise, and unknown tiers', async () => {
    const operator = await buildOperator();
    const free = await postSubscribe(operator, 'free');
    assertProblem(free, 'VALIDATION_ERROR', 'tier');
    assert.match(free.text, /cancel-subscription/);
    assertProblem(await postSubscribe(operator, 'enterprise'), 'CONTACT_SALES');
    assertProblem(await postSubscribe(operator, 'gold'), 'VALIDATION_ERROR', 'tier');
    assertProblem(await operator.post(PATH, { tier: 'pro', seats: 2 }), 'VALIDATION_ERROR', 'seats');
    assert.deepEqual(await changesOf(operator), []);
  });

  for (const tier of paidTiers) {
    it(`returns a page for ${tier}, which counts once it is paid and not before`, async () => {
      const operator = await buildOperator();
      const { url } = await checkoutFor(operator, tier);
      assert.match((await openLocalPage(url)).text, new RegExp(tier));
      const waiting = await subscriptionOf(operator);
      assert.deepEqual(
        [waiting.tier, waiting.status, waiting.pending_change?.tier, waiting.pending_change?.checkout_url],
        ['free', 'none', tier, url],
      );
      await payLocally(url);
      const running = await untilSubscription(operator, `tier ${tier}`, (now) => now.tier === tier);
      assert.deepEqual([running.status, running.pending_change, running.cancel_at_period_end], ['active', null, false]);
      const [start, end] = [new Date(running.billing_period.start), new Date(running.billing_period.end)];
      assert.equal(end.getUTCMonth(), (start.getUTCMonth() + 1) % 12, 'the same day of the next month');
      assert.deepEqual(await auditOf(operator), ['subscription.change_requested', 'subscription.started']);
      assert.deepEqual(await changesOf(operator), [
        { kind: 'start', tier, status: 'done', closing: false, checkout_url: null },
      ]);
    });
  }

  it('shows a waiting change to everybody, and its checkout_url to administrators only', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const reader of [await buildMemberKey(operator), agentKey]) {
      const { pending_change: change } = await subscriptionOf(reader);
      assert.deepEqual([change?.tier, change?.checkout_url], ['pro', null]);
    }
    assert.equal((await subscriptionOf(operator)).pending_change?.checkout_url, url);
  });

  it('keeps the address of the page encrypted, and only while it can be paid', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    const [waiting] = await changesOf(operator);
    assert(typeof waiting?.checkout_url === 'string' && !waiting.checkout_url.includes(new URL(url).pathname));
  });

  it('refuses another change while one waits, with its checkout_url', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    for (const tier of ['pro', 'business']) {
      const refused = await postSubscribe(operator, tier);
      assertProblem(refused, 'CONFLICT');
      assert.equal(refused.body.checkout_url, url);
    }
    assert.equal((await checkoutsOf(operator)).length, 1);
  });

  it('begins one of fifty in parallel, and opens one page', async () => {
    const operator = await buildOperator();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => postSubscribe(operator, at % 2 === 0 ? 'pro' : 'business')),
    );
    const begun = replies.filter(({ status }) => status === 200);
    assert.equal(begun.length, 1);
    for (const reply of replies.filter((one) => !begun.includes(one))) assertProblem(reply, 'CONFLICT');
    assert.deepEqual(await checkoutsOf(operator), ['open']);
  });

  it('is the same page for the same Idempotency-Key', async () => {
    const operator = await buildOperator();
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await postSubscribe(operator, 'pro', headers), 200);
    const again = await postSubscribe(operator, 'pro', headers);
    assert.deepEqual(assertStatus(again, 200), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assertProblem(await postSubscribe(operator, 'business', headers), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await checkoutsOf(operator)).length, 1);
  });

  for (const [how, settle, status] of [
    ['fails', failLocally, 'failed'],
    ['is left to expire', expireLocally, 'expired'],
  ] as const) {
    it(`ends the change when its payment ${how}, and another can begin`, async () => {
      const operator = await buildOperator();
      await settle((await checkoutFor(operator, 'pro')).url);
      await untilSubscription(operator, 'the change to be over', ({ pending_change }) => pending_change === null);
      assert.equal((await changesOf(operator))[0]?.status, status);
      assert.equal((await subscriptionOf(operator)).tier, 'free');
      await payFor(operator, 'pro');
    });
  }

  it('ends the change when its time is over, and closes its page at the provider', async () => {
    const operator = await buildOperator();
    const { url } = await checkoutFor(operator, 'pro');
    await endCheckout(operator);
    await untilSubscription(operator, 'the change to be over', ({ pending_change }) => pending_change === null);
    await eventually('the page to be closed', async () => (await changesOf(operator))[0]?.closing === false);
    assert.deepEqual(await checkoutsOf(operator), ['expired']);
    await payLocally(url);
    assert.equal((await subscriptionOf(operator)).tier, 'free', 'nobody can pay it any more');
  });

  it('opens no page where its time was over before a worker could open it', async () => {
    const operator = await buildOperator();
    const { operatorId } = operator;
    await (
      await database()
    ).transaction(async (begun) => {
      await begun.query(sql.unsafe`insert into subscriptions (operator_id) values (${operatorId})`);
      await begun.query(sql.unsafe`
        insert into subscription_changes (id, operator_id, kind, tier, status, seconds, return_to, expires_at)
        values (${unique('sbc_test')}, ${operatorId}, 'start', 'pro', 'opening', 1800, 'http://carnet.test', clock_timestamp())`);
      await begun.query(sql.unsafe`select wake_life(${lifeId.subscription(operatorId)})`);
    });
    await eventually('the change to be over', async () => (await changesOf(operator))[0]?.status === 'expired');
    assert.deepEqual(await checkoutsOf(operator), []);
  });

  it('refuses the current tier', async () => {
    assertProblem(await postSubscribe(await buildSubscriber('pro'), 'pro'), 'CONFLICT');
  });

  it('sells only a larger tier to an operator with a tier from the platform, and it ends as any other', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    assert.equal((await subscriptionOf(operator)).status, 'none');
    for (const tier of ['developer', 'pro']) assertProblem(await postSubscribe(operator, tier), 'CONFLICT');
    await payFor(operator, 'business');
    assert.equal((await subscriptionOf(operator)).status, 'active');
  });
});

describe('An upgrade', () => {
  it('is paid at a page of its own and counts immediately, in the same subscription and period', async () => {
    const operator = await buildSubscriber('developer');
    const before = await subscriptionOf(operator);
    const { subscription_id: id } = await rowOf(operator);
    const { url } = await checkoutFor(operator, 'business');
    assert.equal((await subscriptionOf(operator)).tier, 'developer');
    await payLocally(url);
    const after = await untilSubscription(operator, 'tier business', ({ tier }) => tier === 'business');
    assert.equal((await rowOf(operator)).subscription_id, id);
    assert.equal(after.billing_period.end.slice(0, 19), before.billing_period.end.slice(0, 19));
    assert.deepEqual((await auditOf(operator)).slice(-2), [
      'subscription.change_requested',
      'subscription.tier_changed',
    ]);
    assert.equal((await subscriptionOf(operator)).pending_change, null);
  });

  it('takes a cancellation back when it is paid, and not before', async () => {
    const operator = await buildSubscriber('developer');
    assertStatus(await operator.post('/v1/billing/cancel-subscription'), 200);
    const { url } = await checkoutFor(operator, 'pro');
    assert.equal((await subscriptionOf(operator)).status, 'canceling');
    await payLocally(url);
    await untilSubscription(
      operator,
      'a subscription that goes on',
      ({ tier, status }) => tier === 'pro' && status === 'active',
    );
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).cancel_at_period_end, false);
  });

  it('that is not paid leaves everything as it was', async () => {
    const operator = await buildSubscriber('developer');
    await expireLocally((await checkoutFor(operator, 'pro')).url);
    await untilSubscription(operator, 'the change to be over', ({ pending_change }) => pending_change === null);
    const { tier, status } = await subscriptionOf(operator);
    assert.deepEqual([tier, status], ['developer', 'active']);
  });

  it('is closed when its time is over', async () => {
    const operator = await buildSubscriber('developer');
    await checkoutFor(operator, 'pro');
    await endCheckout(operator);
    await eventually('the page to be closed', async () => (await checkoutsOf(operator)).at(-1) === 'expired');
    assert.equal((await changesOf(operator)).at(-1)?.status, 'expired');
    assert.equal((await subscriptionOf(operator)).tier, 'developer');
  });
});

describe('A change to a smaller tier', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildSubscriber('business');
  });

  it('costs nothing, counts from the end of the period, and is pushed to the provider', async () => {
    const { billing_period: period } = await subscriptionOf(operator);
    const planned = assertStatus(await postSubscribe(operator, 'pro'), 200);
    assert.deepEqual(planned, { checkout_url: null, session_id: null, tier: 'pro', effective_at: period.end });
    const { tier, next_tier: next } = await subscriptionOf(operator);
    assert.deepEqual([tier, next], ['business', 'pro']);
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).next_tier, 'pro');
  });

  it('can be requested again, can be replaced, and is taken back by requesting the current tier', async () => {
    const first = assertStatus(await postSubscribe(operator, 'pro'), 200);
    assert.deepEqual(assertStatus(await postSubscribe(operator, 'pro'), 200), first);
    assert.equal((await rowOf(operator)).revision, 1, 'the repetition decided nothing');
    assertStatus(await postSubscribe(operator, 'developer'), 200);
    assert.equal((await subscriptionOf(operator)).next_tier, 'developer');
    const undone = assertStatus(await postSubscribe(operator, 'business'), 200);
    assert.deepEqual(undone, { checkout_url: null, session_id: null, tier: 'business', effective_at: null });
    assert.equal((await subscriptionOf(operator)).next_tier, null);
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).next_tier, null);
    assertProblem(await postSubscribe(operator, 'business'), 'CONFLICT');
  });

  it('replaces a cancellation', async () => {
    assertStatus(await operator.post('/v1/billing/cancel-subscription'), 200);
    assertStatus(await postSubscribe(operator, 'pro'), 200);
    const { status, next_tier: next } = await subscriptionOf(operator);
    assert.deepEqual([status, next], ['active', 'pro']);
  });

  it('is the same answer for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await postSubscribe(operator, 'pro', headers), 200);
    assertStatus(await postSubscribe(operator, 'business'), 200);
    const again = await postSubscribe(operator, 'pro', headers);
    assert.deepEqual(assertStatus(again, 200), first);
    assert.equal((await subscriptionOf(operator)).next_tier, null, 'a replay plans nothing');
  });
});

describe('GET /v1/billing/subscription', () => {
  it('shows the calendar month and nothing else where there is none', async () => {
    const { billing_period: period, ...rest } = await subscriptionOf(await buildOperator());
    assert.deepEqual(rest, {
      tier: 'free',
      status: 'none',
      cancel_at_period_end: false,
      next_tier: null,
      purchased_seats: 0,
      pending_change: null,
    });
    assert.match(period.start, /-01T00:00:00\.000Z$/);
    assert.match(period.end, /-01T00:00:00\.000Z$/);
    assertProblem(await anonymous().get('/v1/billing/subscription'), 'UNAUTHENTICATED');
    assertStatus(await platform().get('/v1/billing/subscription'), 200);
  });

  it('is as of one moment, no matter what changes meanwhile', async () => {
    const [operator, db] = [await buildOperator(), await database()];
    await db.query(sql.unsafe`insert into subscriptions (operator_id) values (${operator.operatorId})`);
    let reading = true;
    const change = async (): Promise<void> => {
      for (let round = 0; reading; round += 1) {
        await db.transaction(async (both) => {
          await both.query(
            sql.unsafe`update operators set tier = ${round % 2 === 0 ? 'pro' : 'free'} where id = ${operator.operatorId}`,
          );
          await both.query(sql.unsafe`
            update subscription_changes set tier = ${round % 2 === 0 ? 'pro' : 'developer'} where operator_id = ${operator.operatorId}`);
        });
      }
    };
    await db.query(sql.unsafe`
      insert into subscription_changes (id, operator_id, kind, tier, status, seconds, return_to, expires_at)
      values (${unique('sbc_test')}, ${operator.operatorId}, 'start', 'developer', 'opening', 1800, 'http://carnet.test', now() + interval '1 hour')`);
    const changing = change();
    try {
      for (let read = 0; read < 100; read += 1) {
        const { tier, pending_change: waiting } = await subscriptionOf(operator);
        assert.equal(waiting?.tier, tier === 'pro' ? 'pro' : 'developer');
      }
    } finally {
      reading = false;
      await changing;
    }
  });
});
