import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId } from '../../../ids/ids.ts';
import { DifferingPaymentSchema, type DifferingPayment } from './schema.ts';

/** The newest first. @param page.before the last one of the page before */
export const listDifferingRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, limit }: { before: string | null; limit: number },
): Promise<readonly DifferingPayment[]> =>
  connection.any(sql.type(DifferingPaymentSchema)`
    select d.id, d.top_up_id, d.differs, d.amount_cents, d.currency, d.status, d.transaction_id, d.created_at, d.decided_at
    from top_ups t join differing_payments d on d.top_up_id = t.id
    where t.operator_id = ${operatorId} and (${before}::text is null or d.id < ${before})
    order by d.id desc limit ${limit}`);
