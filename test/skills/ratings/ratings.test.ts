import assert from 'node:assert/strict';
import type { Rated, RatingSummary } from '../../../src/skills/ratings/schema.ts';
import type { Skill } from '../../../src/skills/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildOperator,
  type TestOperator,
} from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';
import { complete, publish, sealedSkill } from '../support.ts';

const rate = async (caller: Requester, id: string, body: Record<string, unknown>): Promise<Rated> =>
  assertStatus(await caller.post<Rated>(`/v1/skills/${id}/rate`, body), 200);
const summaryOf = async (caller: Requester, id: string): Promise<RatingSummary> =>
  assertStatus(await caller.get<RatingSummary>(`/v1/skills/${id}/ratings`), 200);

describe('POST /v1/skills/:id/rate', () => {
  let owner: TestOperator;
  let consumer: TestOperator;

  before(async () => {
    [owner, consumer] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('requires authentication', async () =>
    assertProblem(
      await anonymous().post(`/v1/skills/${(await publish(owner)).id}/rate`, { rating: 5 }),
      'UNAUTHENTICATED',
    ));
  it('answers 404 for a skill that the caller may not see', async () => {
    assertProblem(await consumer.post('/v1/skills/skl_x/rate', { rating: 5 }), 'NOT_FOUND');
    assertProblem(
      await consumer.post(`/v1/skills/${(await publish(owner, sealedSkill)).id}/rate`, { rating: 5 }),
      'NOT_FOUND',
    );
  });
  it('is not for the owner, nor for its agents', async () => {
    const { id } = await publish(owner);
    const agent = await buildAgentKey(owner, (await buildAgent(owner)).id);
    for (const caller of [owner, agent])
      assertProblem(await caller.post(`/v1/skills/${id}/rate`, { rating: 5 }), 'SELF_RATING');
  });
  for (const body of [{}, { rating: 0 }, { rating: 6 }, { rating: 4.5 }, { rating: '5' }, { rating: null }]) {
    it(`refuses ${JSON.stringify(body)}`, async () =>
      assertProblem(
        await consumer.post(`/v1/skills/${(await publish(owner)).id}/rate`, body),
        'VALIDATION_ERROR',
        'rating',
      ));
  }
  it('takes no comment', async () => {
    assertProblem(
      await consumer.post(`/v1/skills/${(await publish(owner)).id}/rate`, { rating: 5, comment: 'good' }),
      'VALIDATION_ERROR',
      'comment',
    );
  });

  it('answers the rating and where the skill stands', async () => {
    const { id } = await publish(owner);
    assert.deepEqual(await rate(consumer, id, { rating: 4 }), {
      rating: 4,
      verified: false,
      average_rating: 4,
      rating_count: 1,
    });
    const others = [await buildOperator(), await buildOperator()] as const;
    assert.deepEqual(await rate(others[0], id, { rating: 5 }), {
      rating: 5,
      verified: false,
      average_rating: 4.5,
      rating_count: 2,
    });
    assert.deepEqual(await rate(others[1], id, { rating: 5 }), {
      rating: 5,
      verified: false,
      average_rating: 4.67,
      rating_count: 3,
    });
    const skill = assertStatus(await consumer.get<Skill>(`/v1/skills/${id}`), 200);
    assert.deepEqual([skill.average_rating, skill.rating_count], [4.67, 3]);
  });

  it('replaces the operator’s earlier rating, whichever of its keys rates', async () => {
    const { id } = await publish(owner);
    await rate(consumer, id, { rating: 1 });
    const agent = await buildAgentKey(consumer, (await buildAgent(consumer)).id);
    assert.deepEqual(await rate(agent, id, { rating: 3 }), {
      rating: 3,
      verified: false,
      average_rating: 3,
      rating_count: 1,
    });
  });

  it('is verified once the caller completed an invocation, named or not', async () => {
    const { id } = await publish(owner);
    assert.equal((await rate(consumer, id, { rating: 2 })).verified, false);
    const invocation = await complete(consumer, owner, id);
    assert.equal((await rate(consumer, id, { rating: 2 })).verified, true);
    assert.equal((await rate(consumer, id, { rating: 3, invocation_id: invocation })).verified, true);
    assert.equal((await summaryOf(consumer, id)).verified_count, 1);
  });

  it('becomes verified when the caller completes an invocation afterwards, and no other does', async () => {
    const { id } = await publish(owner);
    const stranger = await buildOperator();
    await rate(consumer, id, { rating: 2 });
    await rate(stranger, id, { rating: 4 });
    await complete(consumer, owner, id);
    await eventually('the rating to be verified', async () => (await summaryOf(consumer, id)).verified_count === 1);
    await complete(consumer, owner, id);
    const invocations = async () => (await owner.get<Skill>(`/v1/skills/${id}`)).body.invocation_count;
    await eventually('both to be counted', async () => (await invocations()) === 2);
    assert.equal((await summaryOf(consumer, id)).verified_count, 1);
    assert.equal((await rate(consumer, id, { rating: 3 })).verified, true);
    assert.equal((await rate(stranger, id, { rating: 3 })).verified, false);
    assert.equal((await summaryOf(consumer, id)).verified_count, 1);
  });

  it('refuses an invocation that is not a completed one of the caller and of this skill', async () => {
    const [one, two] = [await publish(owner), await publish(owner)];
    const stranger = await buildOperator();
    const wrong = [
      (await buildInvocation(consumer, one.id)).id,
      await complete(consumer, owner, two.id),
      await complete(stranger, owner, one.id),
      'inv_01K0000000000000000000000A',
    ];
    for (const invocation of wrong) {
      assertProblem(
        await consumer.post(`/v1/skills/${one.id}/rate`, { rating: 5, invocation_id: invocation }),
        'VALIDATION_ERROR',
        'invocation_id',
      );
    }
    assert.equal((await summaryOf(consumer, one.id)).rating_count, 0);
  });

  it('counts every rater once when all rate at the same time, some of them twice', async () => {
    const { id } = await publish(owner);
    const raters = await Promise.all(Array.from({ length: 5 }, () => buildOperator()));
    await Promise.all([...raters, ...raters].map((rater, at) => rate(rater, id, { rating: 1 + (at % 5) })));
    const { distribution, rating_count: count, average_rating: average } = await summaryOf(consumer, id);
    assert.deepEqual([distribution, count, average], [{ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 }, 5, 3]);
  });
});

describe('GET /v1/skills/:id/ratings', () => {
  it('requires authentication', async () =>
    assertProblem(await anonymous().get('/v1/skills/skl_x/ratings'), 'UNAUTHENTICATED'));
  it('answers 404 for an unknown skill', async () =>
    assertProblem(await platform().get('/v1/skills/skl_x/ratings'), 'NOT_FOUND'));

  it('sums up, without an average before the first rating', async () => {
    const [owner, rater] = [await buildOperator(), await buildOperator()];
    const { id } = await publish(owner);
    const none = {
      average_rating: null,
      rating_count: 0,
      distribution: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
      verified_count: 0,
    };
    assert.deepEqual(await summaryOf(rater, id), none);
    await rate(rater, id, { rating: 4 });
    assert.deepEqual(await summaryOf(owner, id), {
      average_rating: 4,
      rating_count: 1,
      distribution: { ...none.distribution, 4: 1 },
      verified_count: 0,
    });
  });
});
