import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { SkillInvocationSchema } from '../../src/claims/schema/observations.ts';
import { sql } from '../../src/database/pool.ts';
import { advanceInvocation } from '../../src/invocations/index.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { claim as claimRow, invoke, newSkill, newWallet, passDeadline } from '../billing/ledger/ledger-world.ts';
import { digestOf, envelopeOf } from '../claims/support.ts';
import { buildAgent, buildInvocation, buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus, database, type Requester } from '../support/service.ts';
import { ownContext, type OwnContext } from './own-context.ts';
import { lookAfterLives } from '../support/due-lives.ts';

const secondsOf = (time: string | null): number => Math.floor(Date.parse(time ?? '') / 1_000);

/** The claims about an invocation in their order, each of them whole, canonical and of the service. */
async function claimsOf(reader: Requester, id: string): Promise<Claim[]> {
  const { claims } = assertStatus(
    await reader.get<{ claims: Claim[] }>(`/v1/claims?subject=carnet://invocation/${id}`),
    200,
  );
  for (const { digest, schema, envelope, payload_effective: payload } of claims) {
    assert.deepEqual(
      { ...envelope, payload: null, issued_at: 0 },
      {
        envelope_version: 1,
        issuer: 'op_platform',
        subject: `carnet://invocation/${id}`,
        issued_at: 0,
        claim_type: 'skill_invocation',
        claim_version: 1,
        payload: null,
        receipt: null,
      },
    );
    assert.equal(schema, 'v1');
    assert.deepEqual(SkillInvocationSchema.parse(payload), payload);
    assert.deepEqual(envelope.payload, payload);
    assert.equal(digest, digestOf(envelope));
  }
  return claims.toReversed();
}
const payloadsOf = async (reader: Requester, id: string) =>
  (await claimsOf(reader, id)).map(({ envelope }) => envelope.payload);

describe('the claims of an invocation', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skill: { id: string };
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 1_000 });
    skill = await buildSkill(provider, { price_per_invocation: 7 });
  });

  const act = async (id: string, name: string, body?: unknown): Promise<Invocation> =>
    assertStatus(
      await (name === 'cancel' ? consumer : provider).post<Invocation>(`/v1/skills/invocations/${id}/${name}`, body),
      200,
    );
  const shown = async (id: string): Promise<Invocation> =>
    assertStatus(await consumer.get<Invocation>(`/v1/skills/invocations/${id}`), 200);
  const common = ({ id, input_hash: inputHash }: Invocation) => ({
    type: 'skill_invocation',
    invocation_id: id,
    skill_id: skill.id,
    provider_operator_id: provider.operatorId,
    execution_mode: 'open',
    input_hash: inputHash,
  });
  const submitted = (invocation: Invocation) => ({
    ...common(invocation),
    status: 'submitted',
    at: secondsOf(invocation.created_at),
  });
  const free = { wallet_cents: 0, tokens: 0 };

  it('say that it was submitted and completed, for consumer and provider alike; claiming leaves none', async () => {
    const { id } = await buildInvocation(consumer, skill.id);
    const pending = await shown(id);
    assert.deepEqual(await payloadsOf(consumer, id), [submitted(pending)]);
    await act(id, 'claim', { lease_seconds: 60 });
    await act(id, 'heartbeat');
    assert.deepEqual(await payloadsOf(provider, id), [submitted(pending)]);
    const done = await act(id, 'complete', { output: { text: 'HELLO' } });
    const completed = {
      ...common(done),
      status: 'completed',
      at: secondsOf(done.completed_at),
      output_hash: done.output_hash,
      duration_ms: done.duration_ms,
      cost_actual: { wallet_cents: 7, tokens: 0 },
    };
    assert.deepEqual(await payloadsOf(consumer, id), [submitted(pending), completed]);
    assert.deepEqual(await claimsOf(provider, id), await claimsOf(consumer, id));
    assert.deepEqual(await payloadsOf(await buildOperator(), id), []);
  });

  it('are named by it where it is read by its id', async () => {
    const { id } = await buildInvocation(consumer, skill.id);
    const named = async (reader: Requester): Promise<string[]> =>
      assertStatus(await reader.get<{ claim_ids: string[] }>(`/v1/skills/invocations/${id}`), 200).claim_ids;
    await act(id, 'claim');
    await act(id, 'complete', { output: { text: 'HELLO' } });
    // A statement of others about it is no evidence of the service.
    const envelope = envelopeOf(consumer, { subject: `carnet://invocation/${id}` });
    assertStatus(await consumer.post('/v1/claims', envelope), 201);
    const issued = (await claimsOf(provider, id)).map((claim) => claim.id);
    assert.equal(issued.length, 2);
    for (const reader of [consumer, provider]) assert.deepEqual(await named(reader), issued);
  });

  it('bear the second in which it happened', async () => {
    const { id } = await buildInvocation(consumer, skill.id);
    const answered = await (
      await database()
    ).oneFirst(sql.type(z.object({ second: z.number() }))`
      select floor(extract(epoch from clock_timestamp()))::int8 as second`);
    const [claim] = await claimsOf(consumer, id);
    const { created_at: createdAt } = await shown(id);
    const issuedAt = Number(claim?.envelope.issued_at);
    assert(issuedAt >= secondsOf(createdAt) && issuedAt <= answered, JSON.stringify(claim));
  });

  it('say that it failed, and why, no matter what is in the message', async () => {
    const error = { code: 'NO "IDEA"', message: 'Zoë \\ \u0001\u007f\u2028 </script> 😀\n' };
    const { id } = await buildInvocation(consumer, skill.id);
    const pending = await shown(id);
    await act(id, 'claim');
    const failed = await act(id, 'fail', { error });
    assert.deepEqual(await payloadsOf(provider, id), [
      submitted(pending),
      {
        ...common(failed),
        status: 'failed',
        at: secondsOf(failed.completed_at),
        duration_ms: failed.duration_ms,
        error,
        cost_actual: free,
      },
    ]);
  });

  it('say that it was withdrawn before anybody worked on it', async () => {
    const { id } = await buildInvocation(consumer, skill.id);
    const cancelled = await act(id, 'cancel');
    const [, claim] = await payloadsOf(consumer, id);
    const end = { status: 'failed', at: secondsOf(cancelled.completed_at), error: cancelled.error, cost_actual: free };
    assert.deepEqual(claim, { ...common(cancelled), ...end });
    assert.equal(cancelled.error?.code, 'CANCELLED_BY_CONSUMER');
  });

  it('are not repeated by what changes nothing', async () => {
    const headers = { 'idempotency-key': `once-${consumer.operatorId}` };
    const body = { input: { text: 'hello' } };
    const path = `/v1/skills/${skill.id}/invoke`;
    const { id } = assertStatus(await consumer.post<Invocation>(path, body, headers), 201);
    assert.equal(assertStatus(await consumer.post<Invocation>(path, body, headers), 201).id, id);
    await act(id, 'claim');
    const output = { output: { text: 'HELLO' } };
    await Promise.all(Array.from({ length: 5 }, () => act(id, 'complete', output)));
    assert.equal((await claimsOf(consumer, id)).length, 2);
  });

  it('are not left by a refused call', async () => {
    const poor = await buildOperator();
    const before = await poor.get<{ claims: Claim[] }>('/v1/claims');
    assertProblem(await poor.post(`/v1/skills/${skill.id}/invoke`, { input: { text: 'x' } }), 'INSUFFICIENT_CREDITS');
    assert.deepEqual((await poor.get('/v1/claims')).body, before.body);
    const { id } = await buildInvocation(consumer, skill.id);
    await act(id, 'claim');
    const wrong = { output: { text: 1 } };
    assertProblem(await provider.post(`/v1/skills/invocations/${id}/complete`, wrong), 'OUTPUT_SCHEMA_MISMATCH');
    assert.equal((await claimsOf(consumer, id)).length, 1);
  });

  it('are about the agent that invoked', async () => {
    const agent = await buildAgent(consumer);
    const { id } = await buildInvocation(consumer, skill.id, { agent_id: agent.id });
    const { body } = await provider.get<{ claims: Claim[] }>(`/v1/claims?agent_id=${agent.id}`);
    assert.deepEqual(body.claims, await claimsOf(consumer, id));
  });

  it('stand once in the list of an operator that tests its own skill, which is free', async () => {
    const { id } = await buildInvocation(provider, skill.id);
    await act(id, 'claim');
    await act(id, 'complete', { output: { text: 'HELLO' } });
    const payloads = (await payloadsOf(provider, id)) as Record<string, unknown>[];
    assert.deepEqual(
      payloads.map(({ status, cost_actual: cost }) => [status, cost]),
      [
        ['submitted', undefined],
        ['completed', free],
      ],
    );
  });
});

describe('the claims of an invocation that runs out of time', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  const invoked = async () => {
    const [consumer, provider] = [await newWallet(own.context.pool, 100), await newWallet(own.context.pool)];
    return {
      provider,
      id: await invoke(own.context.pool, {
        consumer,
        skill: await newSkill(own.context.pool, provider, { price: 25 }),
      }),
    };
  };
  const payloads = async (id: string): Promise<Record<string, unknown>[]> => {
    const rows = await own.context.pool.anyFirst(sql.type(z.object({ envelope: z.string() }))`
      select envelope from claims where subject = ${`carnet://invocation/${id}`} order by seq`);
    return rows.map((text) => {
      const envelope = JSON.parse(text) as { payload: Record<string, unknown> };
      assert.equal(canonicalize(envelope), text);
      return envelope.payload;
    });
  };
  const assertExpired = async (id: string, worked: boolean): Promise<void> => {
    const [, end, ...more] = await payloads(id);
    assert.deepEqual(more, []);
    assert.equal(end?.status, 'failed');
    assert.equal((end?.error as { code: string } | undefined)?.code, 'EXPIRED');
    assert.deepEqual(end?.cost_actual, { wallet_cents: 0, tokens: 0 });
    assert.equal('duration_ms' in (end ?? {}), worked);
  };

  it('say that it failed with EXPIRED, once, however many steps see its deadline pass', async () => {
    const { id } = await invoked();
    await passDeadline(own.context.pool, id);
    await Promise.all([1, 2, 3].map(() => advanceInvocation(own.context, id)));
    await assertExpired(id, false);
  });

  it('say how long it was worked on if it was', async () => {
    const { id, provider } = await invoked();
    await claimRow(own.context.pool, { provider, id });
    await passDeadline(own.context.pool, id);
    await advanceInvocation(own.context, id);
    await assertExpired(id, true);
  });

  it('are left by a look without a run too', async () => {
    const { id } = await invoked();
    await passDeadline(own.context.pool, id, '1 minute');
    await lookAfterLives(own.context);
    await assertExpired(id, false);
  });

  it('are not left by a lapsing lease', async () => {
    const { id, provider } = await invoked();
    await claimRow(own.context.pool, { provider, id, leaseSeconds: 5 });
    await own.context.pool.query(sql.unsafe`update invocations set lease_until = clock_timestamp() where id = ${id}`);
    assert.equal((await advanceInvocation(own.context, id)).status, 'pending');
    assert.equal((await payloads(id)).length, 1);
  });
});
