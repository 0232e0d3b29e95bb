import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildOperator,
  buildSkill,
  credit,
  unique,
  type TestOperator,
} from '../support/factories.ts';
import { assertProblem, assertStatus, database } from '../support/service.ts';

const input = { text: 'hello' };

describe('POST /v1/skills/:id/invoke with an Idempotency-Key', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let path: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 1_000 });
    path = `/v1/skills/${(await buildSkill(provider, { price_per_invocation: 25 })).id}/invoke`;
  });
  after(async () => assertLedger(await database()));

  const balance = async (of: TestOperator) =>
    (await of.get<{ balance_cents: number; held_cents: number }>('/v1/billing/balance')).body;

  it('answers the pending snapshot again, also after completion, and holds once', async () => {
    const buyer = await buildOperator({ cents: 100 });
    const key = { 'idempotency-key': unique('key') };
    const first = await buyer.post<Invocation>(path, { input }, key);
    const { id } = assertStatus(first, 201);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'HELLO' } }), 200);
    const again = await buyer.post<Invocation>(path, { input }, key);
    assert.equal(again.status, 201);
    assert.equal(again.text, first.text, 'the same body, byte for byte');
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.equal((await balance(buyer)).balance_cents, 75);
  });

  it('does not write the input a second time', async () => {
    const loose = await buildSkill(provider, { input_schema: { type: 'object' } });
    const key = unique('key');
    const large = { text: 'x'.repeat(200_000) };
    assertStatus(
      await consumer.post(`/v1/skills/${loose.id}/invoke`, { input: large }, { 'idempotency-key': key }),
      201,
    );
    const kept = await (
      await database()
    ).oneFirst(sql.type(z.object({ length: z.number() }))`
      select length(answer) as length from idempotency_keys where operator_id = ${consumer.operatorId} and key = ${key}`);
    assert(kept < 2_000, `${kept} characters are kept`);
    const again = await consumer.post<Invocation>(
      `/v1/skills/${loose.id}/invoke`,
      { input: large },
      { 'idempotency-key': key },
    );
    assert.deepEqual(again.body.input, large);
  });

  it('refuses the key for another body, and keeps no refusal', async () => {
    const buyer = await buildOperator();
    const key = { 'idempotency-key': unique('key') };
    assertProblem(await buyer.post(path, { input }, key), 'INSUFFICIENT_CREDITS');
    await credit(buyer.operatorId, 25);
    assertStatus(await buyer.post(path, { input }, key), 201);
    assertProblem(await buyer.post(path, { input: { text: 'other' } }, key), 'IDEMPOTENCY_KEY_REUSED');
    assertProblem(await buyer.post(path, { input: {} }, key), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('makes one invocation of twenty calls in parallel', async () => {
    const buyer = await buildOperator({ cents: 1_000 });
    const key = { 'idempotency-key': unique('key') };
    const replies = await Promise.all(Array.from({ length: 20 }, () => buyer.post<Invocation>(path, { input }, key)));
    assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]));
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get('idempotency-replayed') === null).length, 1);
    assert.equal((await balance(buyer)).held_cents, 25);
  });

  it('keeps the keys of an agent apart from its operator’s', async () => {
    const agent = await buildAgent(consumer);
    const [agentKey, key] = [await buildAgentKey(consumer, agent.id), { 'idempotency-key': unique('key') }];
    const one = assertStatus(await consumer.post<Invocation>(path, { input }, key), 201);
    const other = assertStatus(await agentKey.post<Invocation>(path, { input }, key), 201);
    assert.notEqual(one.id, other.id);
  });
});
