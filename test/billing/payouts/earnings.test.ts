import assert from 'node:assert/strict';
import { listCases } from '../../../src/billing/cases/queries.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { recordTransferReversed } from '../../../src/billing/payments/queries.ts';
import type { Earnings, Payout } from '../../../src/billing/payouts/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Requester } from '../../support/service.ts';
import { run } from '../ledger/ledger-world.ts';

interface Page {
  payouts: Payout[];
  next_cursor: string | null;
  has_more: boolean;
}

const earningsOf = async (operator: Requester): Promise<Earnings> =>
  assertStatus(await operator.get<Earnings>('/v1/earnings'), 200);

/** A statement of a month long ago, inserted by SQL only; its money moves as the lives move it. */
async function stated(
  { operatorId }: TestOperator,
  month: string,
  status: 'rolled_over' | 'transferring' | 'paid',
): Promise<string> {
  const id = newId('pyt');
  const db = await database();
  await run(
    db,
    sql.fragment`
    insert into payouts (id, operator_id, month, gross_cents, commission_cents, status)
    values (${id}, ${operatorId}, ${month}, 1000, 100, ${status === 'rolled_over' ? 'rolled_over' : 'due'})`,
  );
  if (status === 'rolled_over') return id;
  await run(db, sql.fragment`select advance_payout(${`${operatorId}:${month}`}, true)`);
  if (status === 'paid') await run(db, sql.fragment`select settle_payout(${`${operatorId}:${month}`}, 'tr_1')`);
  return id;
}

/** Another operator pays it these cents for a skill. */
async function sold(publisher: TestOperator, cents: number): Promise<void> {
  const consumer = await buildOperator({ cents });
  const skill = await buildSkill(publisher, { price_per_invocation: cents });
  const { id } = await buildInvocation(consumer, skill.id);
  assertStatus(await publisher.post(`/v1/skills/invocations/${id}/claim`), 200);
  assertStatus(await publisher.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'hello' } }), 200);
}

describe('GET /v1/earnings', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get('/v1/earnings'), 'UNAUTHENTICATED');
  });

  it('is empty at first, and never a part of the wallet', async () => {
    const publisher = await buildOperator({ cents: 7 });
    assert.deepEqual(await earningsOf(publisher), {
      available_cents: 0,
      young_cents: 0,
      pending_cents: 0,
      lifetime_cents: 0,
    });
    await sold(publisher, 250);
    assert.deepEqual(await earningsOf(publisher), {
      available_cents: 250,
      young_cents: 0,
      pending_cents: 0,
      lifetime_cents: 250,
    });
    assert.equal((await publisher.get('/v1/billing/balance')).body.balance_cents, 7);
  });

  it('does not count what is held for an open invocation', async () => {
    const publisher = await buildOperator();
    const skill = await buildSkill(publisher, { price_per_invocation: 30 });
    await buildInvocation(await buildOperator({ cents: 100 }), skill.id);
    assert.deepEqual(await earningsOf(publisher), {
      available_cents: 0,
      young_cents: 0,
      pending_cents: 0,
      lifetime_cents: 0,
    });
  });

  it('shows what is in a transfer separately, and keeps what was paid out in the lifetime sum', async () => {
    const publisher = await buildOperator();
    const { operatorId } = publisher;
    await run(await database(), sql.fragment`update operators set payout_account = 'acct_1' where id = ${operatorId}`);
    await sold(publisher, 2_500);
    await stated(publisher, '2019-01', 'paid');
    await stated(publisher, '2019-02', 'transferring');
    assert.deepEqual(await earningsOf(publisher), {
      available_cents: 500,
      young_cents: 0,
      pending_cents: 1_000,
      lifetime_cents: 2_500,
    });
    await run(await database(), sql.fragment`select settle_payout(${`${operatorId}:2019-02`}, null)`);
    assert.deepEqual(await earningsOf(publisher), {
      available_cents: 1_500,
      young_cents: 0,
      pending_cents: 0,
      lifetime_cents: 2_500,
    });
  });

  it('has a payout again that was taken back before its transfer was known here', async () => {
    for (const [whole, status, available] of [
      [true, 'failed', 1_000],
      [false, 'paid', 0],
    ] as const) {
      const publisher = await buildOperator();
      const { operatorId } = publisher;
      const [db, transfer] = [await database(), `tr_${operatorId}`];
      await run(db, sql.fragment`update operators set payout_account = 'acct_1' where id = ${operatorId}`);
      await sold(publisher, 1_000);
      const id = await stated(publisher, '2019-01', 'transferring');
      const reversed = { id: newId('evt'), type: 'transfer.reversed', createdAt: new Date() };
      const fact = { kind: 'transfer_reversed', transferId: transfer, amountCents: 900 } as const;
      const { outcome } = await recordTransferReversed(
        db,
        { ...reversed, ...fact, reversedCents: whole ? 900 : 400 },
        'req_test',
      );
      assert.equal(outcome, 'kept');
      await run(db, sql.fragment`select settle_payout(${`${operatorId}:2019-01`}, ${transfer})`);
      const payouts = assertStatus(await publisher.get<Page>('/v1/payouts'), 200).payouts;
      assert.deepEqual([payouts[0]?.id, payouts[0]?.status], [id, status]);
      assert.equal((await earningsOf(publisher)).available_cents, available);
      const alarms = await listCases(db, { operatorId, after: null, limit: 10 });
      assert.deepEqual(
        alarms.map(({ alarm }) => alarm),
        whole ? [] : ['payout_reversed_in_part'],
      );
      await assertLedger(db);
    }
  });

  it('is readable by members and agents', async () => {
    const operator = await buildOperator();
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const reader of [await buildMemberKey(operator), agentKey]) {
      await earningsOf(reader);
      assertStatus(await reader.get('/v1/payouts'), 200);
    }
  });
});

describe('GET /v1/payouts', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get('/v1/payouts'), 'UNAUTHENTICATED');
  });

  it('lists the statements of the calling operator only, the newest month first, with a cursor', async () => {
    const [publisher, another] = [await buildOperator(), await buildOperator()];
    const months = ['2018-11', '2018-12', '2019-01'];
    for (const month of months) await stated(publisher, month, 'rolled_over');
    await stated(another, '2018-12', 'rolled_over');
    const first = assertStatus(await publisher.get<Page>('/v1/payouts?limit=2'), 200);
    assert.deepEqual(
      first.payouts.map(({ month }) => month),
      ['2019-01', '2018-12'],
    );
    assert(first.has_more);
    const rest = assertStatus(await publisher.get<Page>(`/v1/payouts?limit=2&cursor=${first.next_cursor}`), 200);
    assert.deepEqual(
      [rest.payouts.map(({ month }) => month), rest.has_more, rest.next_cursor],
      [['2018-11'], false, null],
    );
    assertProblem(await another.get(`/v1/payouts?limit=2&cursor=${first.next_cursor}`), 'INVALID_CURSOR');
  });

  it('shows month, cents, status and times of each, and not the account', async () => {
    const publisher = await buildOperator();
    await run(
      await database(),
      sql.fragment`update operators set payout_account = 'acct_1' where id = ${publisher.operatorId}`,
    );
    await sold(publisher, 1_000);
    const id = await stated(publisher, '2019-01', 'paid');
    const [payout, ...others] = assertStatus(await publisher.get<Page>('/v1/payouts'), 200).payouts;
    assert(payout !== undefined);
    const { created_at, paid_at, ...rest } = payout;
    assert.deepEqual(rest, {
      id,
      month: '2019-01',
      gross_cents: 1_000,
      commission_cents: 100,
      net_cents: 900,
      status: 'paid',
    });
    assert(paid_at !== null && created_at <= paid_at);
    assert.deepEqual(others, []);
  });
});
