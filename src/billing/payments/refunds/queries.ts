import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { HoldId, OperatorId, RefundId } from '../../../ids/ids.ts';
import type { ListedRefund } from '../../../context/payment-provider.ts';
import { refundActions } from '../step.ts';
import { RefundSchema, refundStatuses, type Refund } from './schema.ts';

const CentsRow = z.object({ cents: z.number() });

interface NewRefund {
  id: RefundId;
  holdId: HoldId;
  operatorId: OperatorId;
  transactionId: string;
  provider: 'stripe' | 'local';
}

/**
 * Inserts the refund and holds its amount.
 * @returns the amount in cents
 * @throws the refusals of `begin_refund`
 */
export const beginRefund = (
  connection: CommonQueryMethods,
  { id, holdId, operatorId, transactionId, provider }: NewRefund,
): Promise<number> =>
  connection.oneFirst(
    sql.type(CentsRow)`select begin_refund(${id}, ${holdId}, ${operatorId}, ${transactionId}, ${provider}) as cents`,
  );

const columns = sql.fragment`id as refund_id, transaction_id, amount_cents, status, created_at`;

export const findRefund = (
  connection: CommonQueryMethods,
  { id, operatorId }: { id: string; operatorId: string },
): Promise<Refund | null> =>
  connection.maybeOne(
    sql.type(RefundSchema)`select ${columns} from refunds where id = ${id} and operator_id = ${operatorId}`,
  );

/** The newest first. @param page.before the last one of the page before @param page.transactionId those of this top-up alone */
export const listRefundRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, limit, transactionId }: { before: string | null; limit: number; transactionId?: string | undefined },
): Promise<readonly Refund[]> =>
  connection.any(sql.type(RefundSchema)`
    select ${columns} from refunds where operator_id = ${operatorId} and (${before}::text is null or id < ${before})
      ${transactionId === undefined ? sql.fragment`` : sql.fragment`and transaction_id = ${transactionId}`}
    order by id desc limit ${limit}`);

const PendingRow = z.object({
  operator_id: z.string(),
  key: z.string(),
  amount_cents: z.number(),
  tries: z.number(),
  top_up_id: z.string(),
  payment_id: z.string(),
  /** Whether the provider's list has it: then it is read, and not requested. */
  is_listed: z.boolean(),
});

/** Reads what the provider is to refund; null where the refund is settled. */
export const findPendingRefund = (
  connection: CommonQueryMethods,
  id: string,
): Promise<z.infer<typeof PendingRow> | null> =>
  connection.maybeOne(sql.type(PendingRow)`
    select r.operator_id, refund_key(r.transaction_id, r.attempt) as key, r.amount_cents, r.tries, r.top_up_id, t.payment_id,
      exists (select from provider_refunds where refund_id = r.id) as is_listed
    from refunds r join top_ups t on t.id = r.top_up_id
    where r.id = ${id} and r.status = 'pending'`);

/** The provider answered a try and has not done it: the next one has another key. A rival that came first has counted it. */
export async function countRefundTry(connection: CommonQueryMethods, id: string, tries: number): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update refunds set tries = tries + 1 where id = ${id} and status = 'pending' and tries = ${tries}`);
}

/**
 * The provider refused to make the refund, and its list has none: releases what is held.
 * @returns false: it was settled meanwhile, or is listed
 */
export const releaseRefusedRefund = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ done: z.boolean() }))`select release_refused_refund(${id}) as done`);

const ReadingRow = z.object({
  payment: z.string(),
  provider: z.enum(['stripe', 'local']),
  reports: z.number(),
  readings: z.number(),
});
/** Reads what a reading of the provider's list begins with; null where nothing was paid. */
export type RefundReading = z.infer<typeof ReadingRow>;

export const beginRefundReading = (connection: CommonQueryMethods, topUpId: string): Promise<RefundReading | null> =>
  connection.maybeOne(sql.type(ReadingRow)`select * from begin_refund_reading(${topUpId})`);

const SetRow = z.object({ is_set: z.boolean(), owner: z.string(), settled: z.array(z.string()) });

/**
 * Sets refunds and wallet by a list that was read.
 * @returns is_set: false where another list was set since the reading began, so this one may be older; settled: the
 *   refunds of ours that have ended
 */
export const setRefunds = (
  connection: CommonQueryMethods,
  { topUpId, reading, list }: { topUpId: string; reading: RefundReading; list: readonly ListedRefund[] },
): Promise<z.infer<typeof SetRow>> => {
  const listed = list.map(({ providerRefundId: id, amountCents: cents, status, key, madeAt }) => ({
    id,
    cents,
    status,
    key,
    made_at: madeAt.toISOString(),
  }));
  return connection.one(sql.type(SetRow)`
    select * from set_refunds(${topUpId}, ${reading.reports}, ${reading.readings}, ${JSON.stringify(listed)}::jsonb)`);
};

/** The list could not be read. @param unread.isFinal the provider refuses, and is asked again later, or immediately after another report */
export async function noteUnreadRefunds(
  connection: CommonQueryMethods,
  { topUpId, reading, isFinal }: { topUpId: string; reading: RefundReading; isFinal: boolean },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    select note_unread_refunds(${topUpId}, ${reading.reports}, ${reading.readings}, ${isFinal})`);
}

const StepRow = z.object({
  status: z.enum([...refundStatuses, 'gone']),
  action: z.enum(refundActions),
  wait_ms: z.number().nullable(),
  until: z.string().nullable(),
});

export const advanceRefundRow = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_refund(${id})`);

const DescribedRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  transaction_id: z.string(),
  amount_cents: z.number(),
});

export const describeRefundRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`
    select id, operator_id, transaction_id, amount_cents from refunds where id = any(${textArray(ids)})`);
