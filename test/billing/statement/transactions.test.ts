import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  credit,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { address, PATH, statementOf } from './statements.ts';

const nothing = z.object({});

/** A paid invocation of a new skill, completed by the owner of the skill. */
async function paidInvocation(consumer: Awaited<ReturnType<typeof buildOperator>>, price: number) {
  const owner = await buildOperator();
  const skill = await buildSkill(owner, { price_per_invocation: price });
  const invocation = await buildInvocation(consumer, skill.id);
  assertStatus(await owner.post(`/v1/skills/invocations/${invocation.id}/claim`), 200);
  assertStatus(
    await owner.post(`/v1/skills/invocations/${invocation.id}/complete`, { output: { text: 'hello' } }),
    200,
  );
  return { skill, invocation };
}

describe('GET /v1/billing/transactions', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(PATH), 'UNAUTHENTICATED');
  });

  it('is empty at first', async () => {
    assert.deepEqual(await statementOf(await buildOperator()), {
      total: 0,
      next_cursor: null,
      has_more: false,
      receivable_cents: 0,
      remainders: [],
      transactions: [],
    });
  });

  it('is readable by members and agents', async () => {
    const operator = await buildOperator({ cents: 5 });
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const reader of [await buildMemberKey(operator), agentKey]) assert.equal((await statementOf(reader)).total, 1);
  });

  it('shows each movement, newest first, debits negative, with every member of details', async () => {
    const operator = await buildOperator({ cents: 100 });
    const { skill, invocation } = await paidInvocation(operator, 30);
    const { total, transactions } = await statementOf(operator);
    assert.equal(total, 2);
    const [paid, credited] = transactions;
    assert.deepEqual([paid?.type, paid?.amount_cents, paid?.meter], ['invocation', -30, null]);
    assert.deepEqual(paid?.details, {
      skill_id: skill.id,
      invocation_id: invocation.id,
      mission_id: null,
      skill: { id: skill.id, name: skill.name },
      invocation: { id: invocation.id, status: 'completed' },
      mission: null,
      top_up: null,
      refund_id: null,
      dispute: null,
      llm_sources: [],
      machine_sources: [],
      source_count: 0,
      machine_cost_microcents: null,
      source_status: null,
    });
    assert.deepEqual(
      [credited?.type, credited?.amount_cents, credited?.description],
      ['adjustment', 100, 'test credit'],
    );
    assert.deepEqual(credited?.details, {
      skill_id: null,
      invocation_id: null,
      mission_id: null,
      skill: null,
      invocation: null,
      mission: null,
      top_up: null,
      refund_id: null,
      dispute: null,
      llm_sources: [],
      machine_sources: [],
      source_count: 0,
      machine_cost_microcents: null,
      source_status: null,
    });
  });

  it('names the mission of a paid invocation', async () => {
    const operator = await buildOperator({ cents: 100 });
    const mission = assertStatus(
      await operator.post<{ id: string }>('/v1/missions', { declared_intent: 'Say "hello" in\nUlm' }),
      201,
    );
    const owner = await buildOperator();
    const skill = await buildSkill(owner, { price_per_invocation: 5 });
    const invocation = await buildInvocation(operator, skill.id, { mission_id: mission.id });
    assertStatus(await owner.post(`/v1/skills/invocations/${invocation.id}/claim`), 200);
    assertStatus(
      await owner.post(`/v1/skills/invocations/${invocation.id}/complete`, { output: { text: 'hello' } }),
      200,
    );
    const [paid] = (await statementOf(operator)).transactions;
    assert.equal(paid?.details.mission_id, mission.id);
    assert.deepEqual(paid.details.mission, { id: mission.id, declared_intent: 'Say "hello" in\nUlm' });
  });

  it('keeps a description unchanged, regardless of its characters', async () => {
    const operator = await buildOperator();
    const words = 'A "quoted" \\ back\nslash, \u{1F600} and </script> \u2028';
    await (
      await database()
    ).query(sql.type(nothing)`
      select credit_wallet(${newId('txn')}, ${operator.operatorId}, 1, 'platform:adjustments', 'adjustment', ${newId('txn')}, ${words})`);
    assert.equal((await statementOf(operator)).transactions[0]?.description, words);
  });

  it('is filtered by direction', async () => {
    const operator = await buildOperator({ cents: 100 });
    await credit(operator.operatorId, -30);
    const amounts = async (direction: string) =>
      (await statementOf(operator, { direction })).transactions.map(({ amount_cents }) => amount_cents);
    assert.deepEqual([await amounts('in'), await amounts('out')], [[100], [-30]]);
  });

  for (const [query, path] of [
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['limit=many', 'query.limit'],
    ['type=payout', 'query.type'],
    ['type=commission', 'query.type'],
    ['direction=up', 'query.direction'],
    ['view=table', 'query.view'],
    ['entry_kind=machine', 'query.entry_kind'],
    ['since=yesterday', 'query.since'],
    ['since=2026-03', 'query.since'],
    ['since=2026-03-01T00:00:00', 'query.since'],
    ['until=2026-02-30T00:00:00Z', 'query.until'],
    ['until=2026-02-03T00:00:00%00Z', 'query.until'],
  ] as const) {
    it(`refuses ?${query} with 400`, async () => {
      assertProblem(await (await buildOperator()).get(`${PATH}?${query}`), 'VALIDATION_ERROR', path);
    });
  }

  it('takes a day and a minute as instants', async () => {
    const operator = await buildOperator({ cents: 5 });
    const totals = async (query: string): Promise<number> =>
      assertStatus(await operator.get<{ total: number }>(`${PATH}?${query}`), 200).total;
    assert.deepEqual(
      [
        await totals('since=2026-03-01'),
        await totals('until=2026-03-01'),
        await totals('since=2026-03-01T10:00%2B02:00'),
      ],
      [1, 0, 1],
    );
  });

  it('explains how an instant is written where its + was not encoded', async () => {
    const reply = await (await buildOperator()).get(`${PATH}?since=2026-03-01T00:00:00+02:00`);
    assertProblem(reply, 'VALIDATION_ERROR', 'query.since');
    assert.match(
      String(reply.body.detail),
      /^query\.since: must be a day or a time with its offset, e\.g\. 2026-01-31 or 2026-01-31T12:00Z; in an address \+ is written %2B/,
    );
  });

  it('has 50 rows by default, and 200 at most', async () => {
    const operator = await buildOperator();
    await (
      await database()
    ).query(sql.type(nothing)`
      select credit_wallet('txn_' || new_ulid(), ${operator.operatorId}, 1, 'platform:adjustments', 'adjustment', new_ulid(), 'test') from generate_series(1, 205)`);
    const standard = await statementOf(operator);
    assert.deepEqual([standard.transactions.length, standard.total, standard.has_more], [50, 205, true]);
    const most = await statementOf(operator, { limit: 200 });
    assert.equal(most.transactions.length, 200);
    const rest = await statementOf(operator, { limit: 7, cursor: most.next_cursor ?? '' });
    assert.deepEqual([rest.transactions.length, rest.total, rest.has_more, rest.next_cursor], [5, 205, false, null]);
  });

  it('links to the next page', async () => {
    const operator = await buildOperator({ cents: 1 });
    await credit(operator.operatorId, 2);
    const reply = await operator.get(address({ limit: 1, direction: 'in' }));
    const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    assert.equal(next, `${PATH}?limit=1&direction=in&cursor=${String(reply.body.next_cursor)}`);
    assert.equal(assertStatus(await operator.get(next), 200).has_more, false);
  });
});
