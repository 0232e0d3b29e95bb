import assert from 'node:assert/strict';
import type { DatabasePool } from '../../../src/database/pool.ts';
import { tiers, type Tier } from '../../../src/fields/tiers.ts';
import type { Usage } from '../../../src/billing/metering/schema.ts';
import { issue, openHolder, refresh } from '../../passports/holders.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  credit,
} from '../../support/factories.ts';
import { assertStatus, database, platform, type Requester } from '../../support/service.ts';
import { eachWithinOneMonth, FREE, passMonth, setUsed } from './counters.ts';

describe('GET /v1/billing/usage', () => {
  let db: DatabasePool;
  before(async () => {
    db = await database();
  });
  eachWithinOneMonth();

  const usageOf = async (reader: Requester): Promise<Usage> =>
    assertStatus(await reader.get<Usage>('/v1/billing/usage'), 200);
  const nothing = (included: number | null) => ({ used: 0, included, overage: 0 });

  it('for a new operator on tier free: both periods are the calendar month, and nothing is used', async () => {
    const operator = await buildOperator();
    const { billing_period: billing, allowance_period: allowance, ...usage } = await usageOf(operator);
    const [month, next] = [new Date(allowance.start), new Date(allowance.end)];
    assert.match(allowance.start, /^\d{4}-\d\d-01T00:00:00\.000Z$/);
    assert.equal(
      next.toISOString(),
      new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1)).toISOString(),
    );
    assert(month.getTime() <= Date.now() && Date.now() < next.getTime());
    assert.deepEqual(billing, allowance);
    assert.deepEqual(usage, {
      tier: 'free',
      usage: { passports: 0, agents: 0, drop_offs: 0, skill_invocations: 0, published_skills: 0 },
      allowances: {
        metered_actions: nothing(FREE),
        l3_classifications: nothing(0),
        sms: nothing(0),
        email: nothing(100),
      },
      seats: { included_seats: 2, purchased_seats: 0, total_seats: 2, seat_ceiling: 2, seats_in_use: 1 },
      storage: { used_bytes: 0, included_bytes: 1_073_741_824 },
    });
  });

  const allowancesOf: Record<
    Tier,
    [
      actions: number | null,
      l3: number | null,
      sms: number | null,
      email: number | null,
      seats: number | null,
      ceiling: number | null,
      gibibytes: number | null,
    ]
  > = {
    free: [25_000, 0, 0, 100, 2, 2, 1],
    developer: [250_000, 2_000, 10, 1_000, 3, 5, 10],
    pro: [1_500_000, 10_000, 50, 5_000, 5, 10, 100],
    business: [10_000_000, 25_000, 250, 10_000, 25, null, 500],
    enterprise: [null, null, null, null, null, null, null],
  };
  for (const tier of tiers) {
    const [actions, l3, sms, email, seats, ceiling, gibibytes] = allowancesOf[tier];
    it(`for ${tier}: the allowances of the tier`, async () => {
      const usage = await usageOf(await buildOperator({ tier }));
      assert.equal(usage.tier, tier);
      const { metered_actions, l3_classifications, ...sent } = usage.allowances;
      assert.deepEqual(
        [metered_actions.included, l3_classifications.included, sent.sms.included, sent.email.included],
        [actions, l3, sms, email],
      );
      assert.deepEqual([usage.seats.included_seats, usage.seats.seat_ceiling], [seats, ceiling]);
      assert.equal(usage.storage.included_bytes, gibibytes && gibibytes * 1_073_741_824);
    });
  }

  it('counts what was done this month and what exists now', async () => {
    const holder = await openHolder();
    const { as } = holder;
    await credit(as.operatorId, 100);
    await refresh(holder, await issue(holder));
    await buildAgent(as);
    const [listed, unlisted] = [await buildSkill(as), await buildSkill(as)];
    assertStatus(await as.post(`/v1/skills/${unlisted.id}/unlist`), 200);
    await buildSkill(as, { execution_mode: 'sealed' });
    const foreign = await buildSkill(await buildOperator(), { price_per_invocation: 2 });
    await buildInvocation(as, listed.id);
    await buildInvocation(as, foreign.id);
    await buildInvocation(await buildOperator(), listed.id);
    const { usage, allowances } = await usageOf(as);
    assert.deepEqual(usage, { passports: 2, agents: 2, drop_offs: 0, skill_invocations: 2, published_skills: 2 });
    assert.deepEqual(allowances.metered_actions, { used: 4, included: FREE, overage: 0 });
  });

  it('shows what was over the allowance, and what other meters used', async () => {
    const operator = await buildOperator({ cents: 10 });
    const skill = await buildSkill(await buildOperator());
    await setUsed(db, operator.operatorId, { used: FREE });
    await setUsed(db, operator.operatorId, { used: 42, meter: 'email' });
    await buildInvocation(operator, skill.id);
    const { allowances } = await usageOf(operator);
    assert.deepEqual(allowances.metered_actions, { used: FREE + 1, included: FREE, overage: 1 });
    assert.deepEqual(allowances.email, { used: 42, included: 100, overage: 0 });
  });

  it('begins a new month at zero', async () => {
    const operator = await buildOperator({ cents: 10 });
    const skill = await buildSkill(await buildOperator());
    await buildInvocation(operator, skill.id);
    await passMonth(db, operator.operatorId);
    const { usage, allowances } = await usageOf(operator);
    assert.deepEqual([usage.skill_invocations, allowances.metered_actions], [0, nothing(FREE)]);
  });

  it('is read by members and agent keys, and each operator reads its own', async () => {
    const operator = await buildOperator();
    const { id } = await buildAgent(operator);
    for (const reader of [await buildMemberKey(operator), await buildAgentKey(operator, id)]) {
      assert.equal((await usageOf(reader)).usage.agents, 1);
    }
    assert.equal((await usageOf(await buildOperator())).usage.agents, 0);
  });

  it('follows the tier immediately', async () => {
    const operator = await buildOperator();
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { tier: 'pro' }), 200);
    assert.equal((await usageOf(operator)).allowances.metered_actions.included, 1_500_000);
  });
});
