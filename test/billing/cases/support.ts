import assert from 'node:assert/strict';
import { z } from 'zod';
import type { BillingCase, DecidedCase } from '../../../src/billing/cases/schema.ts';
import type { Balance } from '../../../src/billing/wallet/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { postApproved } from '../../governance/support.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { assertStatus, database, platform, type Requester } from '../../support/service.ts';
import { refundThere, reportThere, untilRead } from '../payments/local-refunds.ts';
import { buildTopUp, movements, topUpRow } from '../payments/support.ts';

export const CASES = '/v1/admin/billing/cases';

export const casesOf = async ({ operatorId }: TestOperator): Promise<BillingCase[]> =>
  assertStatus(await platform().get<{ cases: BillingCase[] }>(`${CASES}?operator_id=${operatorId}`), 200).cases;

export const onlyCase = async (operator: TestOperator): Promise<BillingCase> => {
  const [first, ...more] = await casesOf(operator);
  assert(first !== undefined && more.length === 0);
  return first;
};

export const walletOf = async (operator: TestOperator): Promise<[available: number, held: number, owed: number]> => {
  const { balance_cents, held_cents, receivable_cents } = assertStatus(
    await operator.get<Balance>('/v1/billing/balance'),
    200,
  );
  return [balance_cents, held_cents, receivable_cents];
};

export const centsOf = async ({ operatorId }: TestOperator): Promise<number[]> =>
  (await movements(operatorId)).map(({ cents }) => cents);

/** A refund of a top-up whose answer never came, two days old; its life waits for an hour. */
export async function hangingRefund(operator: TestOperator, transactionId: string): Promise<string> {
  const id = newId('rfd');
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    select begin_refund(${id}, ${newId('hld')}, ${operator.operatorId}, ${transactionId}, 'local')`);
  await pool.query(sql.type(z.object({}))`
    update refunds set created_at = created_at - interval '2 days',
      next_call_at = clock_timestamp() + interval '1 hour'
    where id = ${id}`);
  return id;
}

/**
 * A refund that hangs and was settled by this person of the platform, and how the provider reports on it.
 * @param given.isThere whether the provider has paid it; absent: where the person says so
 * @param given.spent cents that were spent after that
 */
export async function settledRefund(
  person: Requester,
  outcome: 'succeeded' | 'failed',
  {
    spent = 0,
    cents = 1_000,
    isThere = outcome === 'succeeded',
  }: { spent?: number; cents?: number; isThere?: boolean } = {},
) {
  const operator = await buildOperator();
  const { id: topUp, transactionId } = await buildTopUp(operator, cents);
  const paymentId = (await topUpRow(topUp)).payment_id ?? '';
  const id = await hangingRefund(operator, transactionId);
  const key = `refund:${transactionId}`;
  let there = isThere ? await refundThere(paymentId, cents, { key }) : null;
  const body = { outcome, reason: 'Looked up at the provider.' };
  assertStatus(await postApproved<DecidedCase>(person, `/v1/admin/billing/refunds/${id}/settle`, { body }), 200);
  await untilRead(paymentId);
  if (spent > 0) await credit(operator.operatorId, -spent);
  /** The status that the provider gives the refund with our key, and its list then has. */
  const report = async (status: 'succeeded' | 'failed'): Promise<void> => {
    there ??= await refundThere(paymentId, cents, { key });
    await reportThere(paymentId, { id: there, status });
  };
  return { operator, topUp, paymentId, transactionId, id, report };
}
