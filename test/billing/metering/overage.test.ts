import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { envelopeOf } from '../../claims/support.ts';
import { issue, openHolder, tryDelegate, tryIssue, tryRefresh, type Holder } from '../../passports/holders.ts';
import { buildAgent, buildOperator, buildSkill, credit, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, platform, service, type Reply } from '../../support/service.ts';
import { run, walletOf } from '../ledger/ledger-world.ts';
import { counterOf, eachWithinOneMonth, FREE, passMonth, remainderOf, setUsed } from './counters.ts';

const report = { services_used: [], tool_calls: [], actions_count: 1 };
const COST = 10_000;

describe('metered actions over the allowance', () => {
  let db: DatabasePool;
  let provider: TestOperator;
  let free: string;
  let priced: string;
  before(async () => {
    db = await database();
    provider = await buildOperator();
    free = (await buildSkill(provider, { price_per_invocation: 0 })).id;
    priced = (await buildSkill(provider, { price_per_invocation: 5 })).id;
  });
  eachWithinOneMonth();
  after(() => assertLedger(db));

  const counted = async ({ operatorId }: TestOperator): Promise<[used: number, overage: number]> => {
    const { used, overage } = await counterOf(db, operatorId);
    return [used, overage];
  };
  const cents = async ({ operatorId }: TestOperator): Promise<number> => (await walletOf(db, operatorId)).posted_cents;
  const invoke = (as: TestOperator, skillId: string): Promise<Reply> =>
    as.post(`/v1/skills/${skillId}/invoke`, { input: { text: 'hello' } });
  /** An operator on tier free whose allowance of the month is used up. */
  const spent = async (overrides: { cents?: number } = {}): Promise<TestOperator> => {
    const operator = await buildOperator(overrides);
    await setUsed(db, operator.operatorId, { used: FREE });
    return operator;
  };

  it('the last action of the allowance is free, and the next is charged a hundredth of a cent', async () => {
    const consumer = await buildOperator({ cents: 10 });
    await setUsed(db, consumer.operatorId, { used: FREE - 1 });
    assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [FREE, 0]);
    assert.equal(await remainderOf(db, consumer.operatorId), null);
    assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [FREE + 1, 1]);
    assert.deepEqual(await remainderOf(db, consumer.operatorId), { charged_microcents: COST, debited_cents: 0 });
    assert.equal(await cents(consumer), 10, 'a cent is debited when there is a whole one');
  });

  it('a hundred of them are one wallet row of one cent', async () => {
    const consumer = await spent({ cents: 3 });
    for (let action = 0; action < 100; action += 1) assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [FREE + 100, 100]);
    assert.deepEqual(await remainderOf(db, consumer.operatorId), { charged_microcents: 100 * COST, debited_cents: 1 });
    assert.deepEqual(await walletOf(db, consumer.operatorId), { posted_cents: 2, held_cents: 0, last_position: 2 });
  });

  it('costs nothing with an empty wallet while the allowance lasts', async () => {
    const consumer = await buildOperator();
    assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [1, 0]);
  });

  const charged: Record<string, (holder: Holder) => Promise<() => Promise<Reply<unknown>>>> = {
    'passports/issue': async (holder) => () => tryIssue(holder),
    'passports/delegate': async (holder) => {
      const { token } = await issue(holder);
      return () => tryDelegate(holder, token);
    },
    'passports/refresh': async (holder) => {
      const { token } = await issue(holder);
      return () => tryRefresh(holder, token);
    },
    'skills/:id/invoke':
      async ({ as }) =>
      () =>
        invoke(as, free),
    claims: async ({ as }) => {
      const envelope = envelopeOf(as);
      return () => as.post('/v1/claims', envelope);
    },
  };
  for (const [name, prepare] of Object.entries(charged)) {
    it(`POST /v1/${name} is 402 with an empty wallet, counts nothing, and works after a top-up`, async () => {
      const holder = await openHolder();
      const act = await prepare(holder);
      await setUsed(db, holder.as.operatorId, { used: FREE });
      const refusal = (await act()) as Reply;
      assertProblem(refusal, 'INSUFFICIENT_CREDITS');
      const { required_cents, balance_cents, top_up_url } = refusal.body;
      assert.deepEqual([required_cents, balance_cents], [1, 0]);
      assert.equal(top_up_url, `${service().baseUrl}/docs#/billing/createTopUp`);
      assert.deepEqual(await counted(holder.as), [FREE, 0]);
      await credit(holder.as.operatorId, 1);
      assertStatus(await act(), 201);
      assert.deepEqual(await counted(holder.as), [FREE + 1, 1]);
    });
  }

  it('counts what every meter has charged and not yet debited in required_cents', async () => {
    const consumer = await spent({ cents: 1 });
    await run(
      db,
      sql.fragment`select charge_usage(${`message of ${consumer.operatorId}`}, ${consumer.operatorId}, 'sms', 869564, 'a message')`,
    );
    const refusal = await invoke(consumer, free);
    assertProblem(refusal, 'INSUFFICIENT_CREDITS');
    assert.deepEqual([refusal.body.required_cents, refusal.body.balance_cents], [2, 1]);
  });

  for (const kind of ['checkpoint', 'checkout'] as const) {
    it(`a ${kind} is never refused for money and never charged, but counted`, async () => {
      const holder = await openHolder({ accountability: 'logged' });
      const { jti } = await issue(holder);
      await setUsed(db, holder.as.operatorId, { used: FREE });
      assertStatus(await holder.as.post(`/v1/passports/${jti}/${kind}`, report), 201);
      assert.deepEqual(await counted(holder.as), [FREE + 1, 0]);
      assert.equal(await remainderOf(db, holder.as.operatorId), null);
    });
  }

  it('what a report has used up is not available for the next charged action', async () => {
    const holder = await openHolder({ accountability: 'logged' });
    await credit(holder.as.operatorId, 1);
    const { jti } = await issue(holder);
    await setUsed(db, holder.as.operatorId, { used: FREE - 1 });
    assertStatus(await holder.as.post(`/v1/passports/${jti}/checkpoint`, report), 201);
    assertStatus(await invoke(holder.as, free), 201);
    assert.deepEqual(await counted(holder.as), [FREE + 1, 1]);
  });

  it('the price of a skill comes on top, and one refusal takes back both', async () => {
    const consumer = await spent({ cents: 4 });
    const refusal = await invoke(consumer, priced);
    assertProblem(refusal, 'INSUFFICIENT_CREDITS');
    assert.equal(refusal.body.required_cents, 6, 'the price, and the cent that the action begins to use');
    assert.deepEqual(await counted(consumer), [FREE, 0]);
    assert.deepEqual((await remainderOf(db, consumer.operatorId))?.charged_microcents ?? 0, 0);
    await credit(consumer.operatorId, 2);
    assertStatus(await invoke(consumer, priced), 201);
    assert.deepEqual(await walletOf(db, consumer.operatorId), { posted_cents: 6, held_cents: 5, last_position: 2 });
  });

  it('counts against no budget of a passport or of an agent', async () => {
    const consumer = await spent({ cents: 10 });
    const agent = await buildAgent(consumer, { monthly_limit_cents: 5 });
    const { jti } = await issue({ as: consumer, agentId: agent.id }, { budget: { amount_cents: 5 } });
    const reply = await consumer.post(`/v1/skills/${priced}/invoke`, { input: { text: 'hello' }, passport_id: jti });
    assertStatus(reply, 201);
    assert.deepEqual(await counted(consumer), [FREE + 2, 2], 'the passport and the invocation');
    assert.equal((await remainderOf(db, consumer.operatorId))?.charged_microcents, 2 * COST);
  });

  it('every other refusal comes before 402', async () => {
    const consumer = await spent();
    assertProblem(await invoke(consumer, 'skl_nothing'), 'NOT_FOUND');
    assertProblem(await consumer.post(`/v1/skills/${free}/invoke`, { input: {} }), 'INPUT_SCHEMA_MISMATCH');
    assertProblem(
      await consumer.post(`/v1/skills/${priced}/invoke`, { input: { text: '' }, max_price_cents: 1 }),
      'PRICE_CHANGED',
    );
    assertProblem(
      await consumer.post('/v1/claims', envelopeOf(consumer, { issuer: provider.operatorId })),
      'ISSUER_MISMATCH',
    );
    assertProblem(await consumer.post('/v1/passports/issue', { agent_id: 'ag_nothing' }), 'NOT_FOUND');
    assertProblem(await invoke(consumer, free), 'INSUFFICIENT_CREDITS');
  });

  it('a larger tier raises the allowance immediately, and without a limit nothing is charged', async () => {
    const consumer = await spent();
    assertProblem(await invoke(consumer, free), 'INSUFFICIENT_CREDITS');
    assertStatus(await platform().patch(`/v1/admin/operators/${consumer.operatorId}`, { tier: 'developer' }), 200);
    assertStatus(await invoke(consumer, free), 201);
    await setUsed(db, consumer.operatorId, { used: 250_000 });
    assertProblem(await invoke(consumer, free), 'INSUFFICIENT_CREDITS');
    assertStatus(await platform().patch(`/v1/admin/operators/${consumer.operatorId}`, { tier: 'enterprise' }), 200);
    assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [250_001, 0]);
  });

  it('a new month begins at zero, and the old one stays as it was', async () => {
    const consumer = await spent({ cents: 1 });
    assertStatus(await invoke(consumer, free), 201);
    await passMonth(db, consumer.operatorId);
    assertStatus(await invoke(consumer, free), 201);
    assert.deepEqual(await counted(consumer), [1, 0]);
    assert.deepEqual(
      await remainderOf(db, consumer.operatorId),
      { charged_microcents: COST, debited_cents: 0 },
      'what was charged stays charged',
    );
  });
});
