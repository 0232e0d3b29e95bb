import { json } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId } from '../../../ids/ids.ts';
import { TopUpReference } from '../../wallet/schema.ts';
import { DisputeSchema, type Dispute } from './schema.ts';

const Row = DisputeSchema.extend({ top_up: json.pipe(TopUpReference) });

/** In the order of their ids, those of top-ups and of subscriptions. @param page.after the last one of the page before */
export const listDisputeRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { after, limit }: { after: string | null; limit: number },
): Promise<readonly Dispute[]> =>
  connection.any(sql.type(Row)`
    select d.id, d.status, d.amount_cents, d.taken_cents, d.subscription_id, d.reported_at,
      coalesce(case when t.id is not null then json_build_object('id', t.id, 'transaction_id', t.transaction_id) end, 'null')::text as top_up
    from (
      select d.* from top_ups p join disputes d using (payment_id) where p.operator_id = ${operatorId}
      union all select * from disputes where operator_id = ${operatorId}) d
    left join top_ups t using (payment_id)
    where ${after}::text is null or d.id > ${after}
    order by d.id limit ${limit}`);
