import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { passDeadline } from '../billing/ledger/ledger-world.ts';
import { buildInvocation, buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Requester } from '../support/service.ts';

describe('POST /v1/skills/invocations/:id/cancel', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skillId: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 1_000 });
    skillId = (await buildSkill(provider, { price_per_invocation: 25 })).id;
  });
  after(async () => assertLedger(await database()));

  const pathOf = (id: string, act: string) => `/v1/skills/invocations/${id}/${act}`;
  const post = (who: Requester, { id, act, body }: { id: string; act: string; body?: unknown }) =>
    who.post<Invocation>(pathOf(id, act), body);
  const pending = () => buildInvocation(consumer, skillId);

  it('requires authentication', async () => {
    assertProblem(await anonymous().post(pathOf('inv_any', 'cancel')), 'UNAUTHENTICATED');
  });

  it('is for the consumer alone: 403 for the provider, 404 for everybody else', async () => {
    const { id } = await pending();
    assertProblem(await post(provider, { id, act: 'cancel' }), 'NOT_OWNER');
    assertProblem(await post(await buildOperator(), { id, act: 'cancel' }), 'NOT_FOUND');
  });

  it('fails what is pending and gives the hold back', async () => {
    const buyer = await buildOperator({ cents: 25 });
    const { id } = await buildInvocation(buyer, skillId);
    const cancelled = assertStatus(await post(buyer, { id, act: 'cancel' }), 200);
    assert.deepEqual([cancelled.status, cancelled.error?.code], ['failed', 'CANCELLED_BY_CONSUMER']);
    assert.equal((await buyer.get('/v1/billing/balance')).body.balance_cents, 25);
    assertProblem(await post(provider, { id, act: 'claim' }), 'INVOCATION_NOT_PENDING');
  });

  it('is repeatable: the second answers as the first, and gives nothing back twice', async () => {
    const buyer = await buildOperator({ cents: 25 });
    const { id } = await buildInvocation(buyer, skillId);
    const first = assertStatus(await post(buyer, { id, act: 'cancel' }), 200);
    assert.deepEqual(assertStatus(await post(buyer, { id, act: 'cancel' }), 200), first);
    assert.equal((await buyer.get('/v1/billing/balance')).body.balance_cents, 25);
    const ends = await (
      await database()
    ).oneFirst(
      sql.type(z.object({ ends: z.number() }))`
        select count(*) as ends from audit_events where target = ${id} and action = 'invocation.cancelled'`,
    );
    assert.equal(ends, 1);
  });

  it('answers 409 where the provider has failed it', async () => {
    const { id } = await pending();
    assertStatus(await post(provider, { id, act: 'claim' }), 200);
    assertStatus(await post(provider, { id, act: 'fail', body: { error: { code: 'BROKEN', message: 'x' } } }), 200);
    assertProblem(await post(consumer, { id, act: 'cancel' }), 'INVOCATION_NOT_PENDING');
  });

  it('does not take work away from who claimed it', async () => {
    const { id } = await pending();
    assertStatus(await post(provider, { id, act: 'claim' }), 200);
    assertProblem(await post(consumer, { id, act: 'cancel' }), 'INVOCATION_NOT_PENDING');
  });

  it('answers 409 past the deadline', async () => {
    const { id } = await pending();
    await passDeadline(await database(), id);
    assertProblem(await post(consumer, { id, act: 'cancel' }), 'INVOCATION_EXPIRED');
  });

  it('takes no body but {}', async () => {
    assertProblem(
      await post(consumer, { id: (await pending()).id, act: 'cancel', body: { reason: 'x' } }),
      'VALIDATION_ERROR',
      'reason',
    );
  });
});
