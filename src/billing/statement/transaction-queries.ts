import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { transactionText } from './transaction-text.ts';

const Row = z.object({ content: z.string(), encrypted_receipts: z.string().nullable() });

/** A row of a wallet as JSON, and its receipt as `withReceipts` takes it; null where the operator has no such row. */
export const readTransaction = (
  connection: CommonQueryMethods,
  { operatorId, id }: { operatorId: OperatorId; id: string },
): Promise<z.infer<typeof Row> | null> =>
  connection.maybeOne(sql.type(Row)`
    select ${transactionText} as content,
      (select json_build_object(t.id, json_build_object('id', p.id, 'sealed', p.receipt_url))::text
        from top_ups p where t.kind = 'topup' and p.transaction_id = t.id and p.receipt_url is not null) as encrypted_receipts
    from transfers t where t.id = ${id} and t.wallet = ${operatorId}`);
