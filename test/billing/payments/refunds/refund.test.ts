import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertLedger } from '../../../../src/billing/index.ts';
import { sql } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { roundsOf } from '../../../support/cases.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  credit,
  unique,
} from '../../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply } from '../../../support/service.ts';
import { untilAnswered } from '../../../support/until-answered.ts';
import type { Refund } from '../../../../src/billing/payments/refunds/schema.ts';
import { audited, balanceOf, buildTopUp, endedRefund, movements, refundOf } from '../support.ts';

const path = (transactionId: string): string => `/v1/billing/refund/${transactionId}`;

describe('POST /v1/billing/refund/:transactionId', function () {
  this.timeout(240_000);
  after(async () => assertLedger(await database()));

  it('requires an administrator', async () => {
    const operator = await buildOperator();
    const to = path(newId('txn'));
    assertProblem(await anonymous().post(to), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(to), 'ADMIN_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.post(to), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('refunds the whole top-up to where it came from', async () => {
    const operator = await buildOperator();
    const { transactionId, amountCents } = await buildTopUp(operator, 2_500);
    const refund = await refundOf(operator, transactionId);
    assert.deepEqual(
      { ...refund, refund_id: '', created_at: '' },
      { refund_id: '', transaction_id: transactionId, amount_cents: amountCents, status: 'succeeded', created_at: '' },
    );
    assert.match(refund.refund_id, /^rfd_/);
    assert.equal(await balanceOf(operator), 0);
    assert.deepEqual(await movements(operator.operatorId), [
      { kind: 'topup', cents: 2_500 },
      { kind: 'refund', cents: -2_500 },
    ]);
    assert.deepEqual(await audited(refund.refund_id), ['refund.begun', 'refund.succeeded']);
  });

  it('answers 200 when it has succeeded in time', async () => {
    const operator = await buildOperator();
    const inTime = async (): Promise<boolean> => {
      const { transactionId } = await buildTopUp(operator);
      const reply = await operator.post<Refund>(path(transactionId));
      const { status } = assertStatus(reply, reply.body.status === 'pending' ? 202 : 200);
      return status === 'succeeded';
    };
    await eventually('one that was', inTime, { seconds: 100 });
  });

  it('is replayed under its Idempotency-Key, and is 409 without it', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator);
    const headers = { 'idempotency-key': unique('key') };
    const first = await operator.post<Refund>(path(transactionId), undefined, headers);
    const refund = await endedRefund(operator, first.body.refund_id);
    const again = await operator.post(path(transactionId), undefined, headers);
    assert.deepEqual([again.status, again.body], [first.status, refund]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assertProblem(await operator.post(path(transactionId)), 'ALREADY_REFUNDED');
  });

  it('is 404 for nothing, and for what is somebody else’s', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(await buildOperator());
    assertProblem(await operator.post(path(newId('txn'))), 'NOT_FOUND');
    assertProblem(await operator.post(path(transactionId)), 'NOT_FOUND');
  });

  it('is possible for top-ups only', async () => {
    const operator = await buildOperator({ cents: 5_000 });
    const pool = await database();
    const adjustment = await pool.oneFirst(sql.unsafe`select id from transfers where wallet = ${operator.operatorId}`);
    assertProblem(await operator.post(path(String(adjustment))), 'NOT_REFUNDABLE');
  });

  it('is possible for 30 days', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator);
    const age = async (days: number, seconds: number): Promise<unknown> =>
      (await database()).query(sql.unsafe`
        update transfers set created_at = clock_timestamp() - make_interval(days => ${days}, secs => ${seconds}) where id = ${transactionId}`);
    await age(30, 1);
    assertProblem(await operator.post(path(transactionId)), 'REFUND_WINDOW_EXPIRED');
    await age(30, -60);
    await refundOf(operator, transactionId);
  });

  it('needs the whole top-up available in the wallet, neither spent nor held', async () => {
    const operator = await buildOperator();
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 1 });
    const { transactionId } = await buildTopUp(operator, 1_000);
    const { id: invocation } = await buildInvocation(operator, skill.id);
    const refused = await operator.post(path(transactionId));
    assertProblem(refused, 'BALANCE_BELOW_TOPUP');
    assert.deepEqual([refused.body.required_cents, refused.body.balance_cents], [1_000, 999]);
    assertStatus(await operator.post(`/v1/skills/invocations/${invocation}/cancel`), 200);
    await refundOf(operator, transactionId);
  });

  it('does not store a refusal under its key', async () => {
    const operator = await buildOperator();
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 10 });
    const { transactionId } = await buildTopUp(operator, 1_000);
    await buildInvocation(operator, skill.id);
    const headers = { 'idempotency-key': unique('key') };
    assertProblem(await operator.post(path(transactionId), undefined, headers), 'BALANCE_BELOW_TOPUP');
    await credit(operator.operatorId, 10);
    await refundOf(operator, transactionId, headers);
  });

  it('happens once, however many requests come at the same time', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator, 3_000);
    await credit(operator.operatorId, 60_000);
    const replies: Reply[] = await Promise.all(
      Array.from({ length: 50 }, () => untilAnswered(() => operator.post(path(transactionId)))),
    );
    const [begun, ...more] = replies.filter(({ status }) => status === 200 || status === 202);
    assert(begun !== undefined && more.length === 0);
    for (const reply of replies) if (reply !== begun) assertProblem(reply, 'ALREADY_REFUNDED');
    await endedRefund(operator, String(begun.body.refund_id));
    assert.equal(await balanceOf(operator), 60_000);
  });

  it('and spending together never take more than there is: it is refunded only if the whole top-up was still there', async () => {
    const provider = await buildOperator();
    const play = async ({
      price,
      callers,
      refunds,
    }: {
      price: number;
      callers: number;
      refunds: number;
    }): Promise<void> => {
      const operator = await buildOperator();
      const skill = await buildSkill(provider, { price_per_invocation: price });
      const { transactionId } = await buildTopUp(operator, 1_000);
      const refundCalls = Array.from({ length: refunds }, () =>
        untilAnswered(() => operator.post(path(transactionId))),
      );
      const invoke = () => operator.post(`/v1/skills/${skill.id}/invoke`, { input: { text: 'hello' } });
      const invoked = Array.from({ length: callers }, () => untilAnswered(invoke));
      const succeeded = (replies: Reply[]): number => replies.filter(({ status }) => status < 300).length;
      const [refunded, spent] = [succeeded(await Promise.all(refundCalls)), succeeded(await Promise.all(invoked))];
      assert.equal(refunded, spent === 0 ? 1 : 0, `${refunded} refunds beside ${spent} invocations`);
      await eventually(
        'the wallet to be settled',
        async () => (await balanceOf(operator)) === 1_000 - spent * price - refunded * 1_000,
      );
    };
    const race = fc.record({
      price: fc.integer({ min: 1, max: 1_100 }),
      callers: fc.integer({ min: 1, max: 6 }),
      refunds: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(fc.asyncProperty(race, play), { numRuns: roundsOf(15, 5) });
  });
});

describe('GET /v1/billing/refunds', () => {
  it('has those of one top-up by transaction_id', async () => {
    const operator = await buildOperator();
    const [one, other] = [await buildTopUp(operator), await buildTopUp(operator)];
    const { refund_id: id } = await refundOf(operator, one.transactionId);
    const found = async (transactionId: string, as = operator): Promise<string[]> => {
      const reply = await as.get<{ refunds: Refund[] }>(`/v1/billing/refunds?transaction_id=${transactionId}`);
      return assertStatus(reply, 200).refunds.map((refund) => refund.refund_id);
    };
    assert.deepEqual(await found(one.transactionId), [id]);
    assert.deepEqual(await found(other.transactionId), []);
    assert.deepEqual(await found(one.transactionId, await buildOperator()), []);
  });
});

describe('GET /v1/billing/refunds/:id', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(`/v1/billing/refunds/${newId('rfd')}`), 'UNAUTHENTICATED');
  });

  it('is 404 for nothing, and for what is somebody else’s', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator);
    const { refund_id: id } = await refundOf(operator, transactionId);
    assertProblem(await (await buildOperator()).get(`/v1/billing/refunds/${id}`), 'NOT_FOUND');
    assertProblem(await operator.get(`/v1/billing/refunds/${newId('rfd')}`), 'NOT_FOUND');
  });
});
