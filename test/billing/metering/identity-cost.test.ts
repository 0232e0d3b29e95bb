import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import type { DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { buildAgent, buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, platform, service, type Reply } from '../../support/service.ts';
import { walletOf } from '../ledger/ledger-world.ts';
import { remainderOf } from './counters.ts';

describe('the cost of an identity claim', () => {
  let db: DatabasePool;
  before(async () => {
    db = await database();
  });
  after(() => assertLedger(db));

  const attest = (body: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply> =>
    platform().post(
      '/v1/identity-claims',
      { provider: 'eid', layer: 'person', claim_type: 'legal_name', assurance_level: 'L2', ...body },
      headers,
    );
  const chargedTo = async ({ operatorId }: TestOperator): Promise<number> =>
    (await remainderOf(db, operatorId, 'identity'))?.charged_microcents ?? 0;
  const claimsOf = async (operator: TestOperator): Promise<number> =>
    assertStatus(await operator.get<{ total: number }>('/v1/identity-claims'), 200).total;

  it('is charged with 15 % on top, rounded up, to the operator that the claim is about', async () => {
    const operator = await buildOperator({ cents: 500 });
    const costs: [cost: number, charge: number][] = [
      [1, 2],
      [20, 23],
      [100, 115],
      [150_000_000, 172_500_000],
    ];
    let sum = 0;
    for (const [cost, charge] of costs) {
      assertStatus(await attest({ operator_id: operator.operatorId, cost_microcents: cost }), 201);
      assert.equal(await chargedTo(operator), (sum += charge));
    }
    assert.deepEqual(await walletOf(db, operator.operatorId), {
      posted_cents: 500 - 172,
      held_cents: 0,
      last_position: 2,
    });
  });

  it('of a claim about an agent is charged to its operator', async () => {
    const operator = await buildOperator({ cents: 1 });
    const { id } = await buildAgent(operator);
    assertStatus(await attest({ agent_id: id, cost_microcents: 100 }), 201);
    assert.equal(await chargedTo(operator), 115);
  });

  it('is zero unless it is given', async () => {
    const operator = await buildOperator();
    assertStatus(await attest({ operator_id: operator.operatorId }), 201);
    assert.equal(await chargedTo(operator), 0);
  });

  it('is charged once under one Idempotency-Key', async () => {
    const operator = await buildOperator({ cents: 1 });
    const headers = { 'Idempotency-Key': newId('key') };
    const body = { operator_id: operator.operatorId, cost_microcents: 100 };
    const [first, second] = [await attest(body, headers), await attest(body, headers)];
    assert.equal(first.body.id, second.body.id);
    assert.equal(await chargedTo(operator), 115);
  });

  it('is 402 where the wallet does not cover it, and nothing is attested', async () => {
    const operator = await buildOperator({ cents: 1 });
    const refusal = await attest({ operator_id: operator.operatorId, cost_microcents: 2_000_000 });
    assertProblem(refusal, 'INSUFFICIENT_CREDITS');
    assert.deepEqual([refusal.body.required_cents, refusal.body.balance_cents], [3, 1]);
    assert.equal(refusal.body.top_up_url, `${service().baseUrl}/docs#/billing/createTopUp`);
    assert.deepEqual([await claimsOf(operator), await chargedTo(operator)], [0, 0]);
    await credit(operator.operatorId, 2);
    assertStatus(await attest({ operator_id: operator.operatorId, cost_microcents: 2_000_000 }), 201);
    assert.equal(await claimsOf(operator), 1);
  });

  for (const cost of [0, -1, 1.5, '100', null, 2 ** 53]) {
    it(`cannot be ${JSON.stringify(cost)}`, async () => {
      const operator = await buildOperator({ cents: 1 });
      assertProblem(
        await attest({ operator_id: operator.operatorId, cost_microcents: cost }),
        'VALIDATION_ERROR',
        'cost_microcents',
      );
    });
  }
});
