import assert from 'node:assert/strict';
import type { PersonsVisit } from '../../../src/console/visits.ts';
import { decidersOf } from '../../../src/passports/pages/deciders.ts';
import type { Review } from '../../../src/passports/index.ts';
import { countedPool } from '../../support/counted-pool.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus, database } from '../../support/service.ts';

async function flaggedReview(operator: TestOperator): Promise<string> {
  const { id: agentId } = await buildAgent(operator, { accountability: 'enforced' });
  const { jti } = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId }), 201);
  const report = { services_used: ['undeclared'], actions_count: 1 };
  const sent = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report);
  return assertStatus(sent, 201).checkout.id;
}

describe('decidersOf()', () => {
  it('reads those of a page together, each by the last decision', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const [one, other] = [await buildPerson(operator, 'admin'), await buildPerson(operator, 'owner')];
    const [approved, changed] = [await flaggedReview(operator), await flaggedReview(operator)];
    await flaggedReview(operator);
    const decide = async (person: typeof one, id: string, decision: string) =>
      assertStatus(await person.post(`/v1/passports/reviews/${id}/decide`, { decision }), 200);
    await decide(one, approved, 'approved');
    await decide(one, changed, 'blocked');
    await decide(other, changed, 'approved');
    const { reviews } = assertStatus(
      await one.get<{ reviews: Review[] }>('/v1/passports/reviews?status=approved'),
      200,
    );
    const waiting = assertStatus(await one.get<{ reviews: Review[] }>('/v1/passports/reviews?status=pending'), 200);
    const statements = async (some: readonly Review[]) => {
      const { pool, count } = countedPool(await database());
      const { operatorId } = operator;
      const person = { visit: { context: { pool } }, caller: { operatorId } } as unknown as PersonsVisit;
      const names = await decidersOf(person, some);
      return { names: new Map([...names].map(([id, { name }]) => [id, name])), count: count() };
    };
    const all = await statements([...reviews, ...waiting.reviews]);
    assert.deepEqual(Object.fromEntries(all.names), { [approved]: one.email, [changed]: other.email });
    assert.equal(all.count, (await statements(reviews.slice(0, 1))).count);
    assert.equal((await statements(waiting.reviews)).count, 0);
  });
});
