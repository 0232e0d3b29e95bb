import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { HoldId, OperatorId, RefundId } from '../../../ids/ids.ts';
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

const columns = sql.fragment`id as refund_id, transaction_id, amount_cents, status`;

export const findRefund = (connection: CommonQueryMethods, id: string, operatorId: string): Promise<Refund | null> =>
  connection.maybeOne(
    sql.type(RefundSchema)`select ${columns} from refunds where id = ${id} and operator_id = ${operatorId}`,
  );

const PendingRow = z.object({
  operator_id: z.string(),
  key: z.string(),
  amount_cents: z.number(),
  payment_id: z.string(),
  provider_refund_id: z.string().nullable(),
});

/** What the provider is to refund; null where the refund is settled. */
export const findPendingRefund = (
  connection: CommonQueryMethods,
  id: string,
): Promise<z.infer<typeof PendingRow> | null> =>
  connection.maybeOne(sql.type(PendingRow)`
    select r.operator_id, refund_key(r.transaction_id, r.attempt) as key, r.amount_cents, t.payment_id, r.provider_refund_id
    from refunds r join top_ups t on t.id = r.top_up_id
    where r.id = ${id} and r.status = 'pending'`);

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

const Reconciled = z.object({ looked: z.number(), woken: z.number() });

export const reconcileRefundRows = (connection: CommonQueryMethods): Promise<z.infer<typeof Reconciled>> =>
  connection.one(sql.type(Reconciled)`select * from reconcile_refunds()`);
