import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { eventually } from '../../support/eventually.ts';
import { buildMemberKey, buildOperator, type TestOperator } from '../../support/factories.ts';
import { payLocally } from '../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus, database, platform } from '../../support/service.ts';
import {
  addMember,
  addMembers,
  postSubscribe,
  atProvider,
  auditOf,
  buildSubscriber,
  checkoutFor,
  endPeriod,
  rowOf,
  seats,
  subscriptionOf,
  untilSubscription,
  untilPushed,
} from './support.ts';

describe('POST /v1/billing/seats', () => {
  it('is for administrators, and needs a whole number that is not negative', async () => {
    const operator = await buildSubscriber('pro');
    assertProblem(await anonymous().post('/v1/billing/seats', { purchased_seats: 1 }), 'UNAUTHENTICATED');
    assertProblem(await seats(await buildMemberKey(operator), 1), 'ADMIN_REQUIRED');
    for (const wrong of [-1, 1.5, '2', null, undefined, 1e9]) {
      assertProblem(await seats(operator, wrong), 'VALIDATION_ERROR', 'purchased_seats');
    }
  });

  it('counts immediately, up to the ceiling of the tier, and is pushed to the provider', async () => {
    const operator = await buildSubscriber('pro');
    const bought = { included_seats: 5, purchased_seats: 2, total_seats: 7, seat_ceiling: 10, seats_in_use: 1 };
    assert.deepEqual(assertStatus(await seats(operator, 2), 200), bought);
    assert.deepEqual(assertStatus(await seats(operator, 2), 200), bought, 'again');
    assert.equal((await untilPushed(operator)).revision, 1);
    assert.equal((await atProvider(operator)).purchased_seats, 2);
    assert.deepEqual(assertStatus(await seats(operator, 5), 200), { ...bought, purchased_seats: 5, total_seats: 10 });
    const refused = await seats(operator, 6);
    assertProblem(refused, 'SEATS_OUT_OF_RANGE');
    assert.deepEqual([refused.body.seat_ceiling, refused.body.seats_in_use], [10, 1]);
    assert.equal((await subscriptionOf(operator)).purchased_seats, 5);
    assert.deepEqual((await auditOf(operator)).filter((action) => action === 'seats.set').length, 2);
  });

  it('has no ceiling on business', async () => {
    const operator = await buildSubscriber('business');
    const { total_seats: total, seat_ceiling: ceiling } = assertStatus(await seats(operator, 500), 200);
    assert.deepEqual([total, ceiling], [525, null]);
  });

  it('allows as many members as there are seats, and never fewer seats than members', async () => {
    const operator = await buildSubscriber('developer');
    await addMembers(operator, 2);
    const full = await addMember(operator);
    assertProblem(full, 'TIER_LIMIT_EXCEEDED');
    assert.deepEqual([full.body.limit, full.body.used], [3, 3]);
    assertStatus(await seats(operator, 2), 200);
    await addMembers(operator, 2);
    assertProblem(await addMember(operator), 'TIER_LIMIT_EXCEEDED');
    for (const tooFew of [0, 1]) assertProblem(await seats(operator, tooFew), 'SEATS_OUT_OF_RANGE');
    assert.equal((await subscriptionOf(operator)).purchased_seats, 2);
  });

  for (const [who, tier] of [
    ['nothing is bought', 'free'],
    ['the tier is the platform’s', 'pro'],
    ['there is no limit', 'enterprise'],
  ] as const) {
    it(`sells none where ${who}`, async () => {
      const operator = await buildOperator({ tier });
      assertProblem(await seats(operator, 1), 'SEATS_OUT_OF_RANGE');
      assert.equal(assertStatus(await seats(operator, 0), 200).purchased_seats, 0);
    });
  }

  it('can be given up where the platform has given a tier without limit since', async () => {
    const operator = await buildSubscriber('pro');
    assertStatus(await seats(operator, 3), 200);
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { tier: 'enterprise' }), 200);
    assertProblem(await seats(operator, 4), 'SEATS_OUT_OF_RANGE');
    const { purchased_seats: bought, total_seats: total } = assertStatus(await seats(operator, 0), 200);
    assert.deepEqual([bought, total], [0, null]);
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).purchased_seats, 0);
  });

  it('stays with the subscription through an upgrade, and ends with it', async () => {
    const operator = await buildSubscriber('developer');
    assertStatus(await seats(operator, 1), 200);
    await untilPushed(operator);
    await payLocally((await checkoutFor(operator, 'pro')).url);
    await untilSubscription(operator, 'tier pro', ({ tier }) => tier === 'pro');
    assert.equal((await subscriptionOf(operator)).purchased_seats, 1);
    assertStatus(await operator.post('/v1/billing/cancel-subscription'), 200);
    await untilPushed(operator);
    await endPeriod(operator);
    await untilSubscription(operator, 'the end', ({ tier }) => tier === 'free');
    assert.equal((await subscriptionOf(operator)).purchased_seats, 0);
  });

  it('is taken back, with an audit event, where the provider refuses it for good', async () => {
    const operator = await buildSubscriber('pro');
    const { revision } = await rowOf(operator);
    // Under this revision the provider has a different request already, so it refuses this one.
    await (
      await database()
    ).query(sql.unsafe`
      insert into local_calls (key, request) values (${`subscription:${operator.operatorId}:${revision + 1}`}, '{}')`);
    assert.equal(assertStatus(await seats(operator, 3), 200).total_seats, 8);
    await untilPushed(operator);
    assert.equal((await subscriptionOf(operator)).purchased_seats, 0);
    assert.deepEqual((await auditOf(operator)).slice(-2), ['seats.set', 'subscription.change_refused']);
    assertStatus(await seats(operator, 3), 200);
    await untilPushed(operator);
    assert.equal((await atProvider(operator)).purchased_seats, 3, 'the next decision is another one');
  });
});

describe('Members and seats at the same moment', () => {
  const totals = async (operator: TestOperator) => {
    const { total_seats, seats_in_use } = assertStatus(
      await seats(operator, (await subscriptionOf(operator)).purchased_seats),
      200,
    );
    return { total: Number(total_seats), people: Number(seats_in_use) };
  };

  it('are never more members than seats, whichever comes first', async () => {
    const operator = await buildSubscriber('developer');
    await addMembers(operator, 2);
    assertStatus(await seats(operator, 2), 200);
    const [lowered, ...joined] = await Promise.all([
      seats(operator, 0),
      ...Array.from({ length: 6 }, () => addMember(operator)),
    ]);
    const { total, people } = await totals(operator);
    const entered = joined.filter(({ status }) => status === 201).length;
    assert.equal(people, 3 + entered);
    assert(people <= total, `${people} people on ${total} seats`);
    if (lowered.status === 200) assert.equal(entered, 0);
    else assertProblem(lowered, 'SEATS_OUT_OF_RANGE');
  });

  it('are settled one after the other, ten purchases in parallel', async () => {
    const operator = await buildSubscriber('pro');
    const replies = await Promise.all([1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map((wanted) => seats(operator, wanted)));
    for (const reply of replies) assertStatus(reply, 200);
    const { purchased_seats: kept } = await untilPushed(operator);
    assert.equal((await atProvider(operator)).purchased_seats, kept);
  });

  it('after a smaller tier: members above its seats stay, nobody joins, and seats above its ceiling are given up', async () => {
    const operator = await buildSubscriber('pro');
    assertStatus(await seats(operator, 5), 200);
    await addMembers(operator, 6);
    assertStatus(await postSubscribe(operator, 'developer'), 200);
    await untilPushed(operator);
    await endPeriod(operator);
    await untilSubscription(operator, 'tier developer', ({ tier }) => tier === 'developer');
    await eventually('the seats to be given back', async () => (await atProvider(operator)).purchased_seats === 2);
    assert.deepEqual(await totals(operator), { total: 5, people: 7 });
    assertProblem(await addMember(operator), 'TIER_LIMIT_EXCEEDED');
    assert((await auditOf(operator)).includes('subscription.seats_lowered'));
  });

  it('lets nobody in above the limit while the tier becomes smaller', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    await addMembers(operator, 1);
    const path = `/v1/admin/operators/${operator.operatorId}`;
    const [lowered, ...joined] = await Promise.all([
      platform().patch(path, { tier: 'free' }),
      ...Array.from({ length: 6 }, () => addMember(operator)),
    ]);
    assertStatus(lowered, 200);
    assertProblem(await addMember(operator), 'TIER_LIMIT_EXCEEDED');
    const { people } = await totals(operator);
    assert.equal(people, 2 + joined.filter(({ status }) => status === 201).length);
    assert(people <= 5);
  });
});
