import { json } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId } from '../../../ids/ids.ts';
import { DisputeReference, TopUpReference } from '../schema.ts';
import { HoldSchema, ReceivableSchema, type Hold, type Receivable } from './schema.ts';

/** Open holds, the newest first. @param page.before the last one of the page before */
export const listHoldRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, limit }: { before: string | null; limit: number },
): Promise<readonly Hold[]> =>
  connection.any(sql.type(HoldSchema)`
    select id, amount_cents, created_at, case when starts_with(cause, 'inv_') then cause end as invocation_id,
      case when starts_with(cause, 'rfd_') then cause end as refund_id, case when starts_with(cause, 'llm_') then cause end as model_call_id
    from holds where operator_id = ${operatorId} and status = 'held' and (${before}::text is null or id < ${before})
    order by id desc limit ${limit}`);

const ReceivableRow = ReceivableSchema.extend({
  top_up: json.pipe(TopUpReference),
  dispute: json.pipe(DisputeReference),
});

/** The newest first, by the milliseconds that an answer shows. @param page.before the last one of the page before */
export const listReceivableRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, limit }: { before: { created_at: string; id: string } | null; limit: number },
): Promise<readonly Receivable[]> =>
  connection.any(sql.type(ReceivableRow)`
    select r.id, r.amount_cents, r.paid_cents, r.amount_cents - r.paid_cents as owed_cents, r.created_at,
      coalesce(case when why.top_up is not null then json_build_object('id', why.top_up, 'transaction_id', why.credit) end, 'null')::text as top_up,
      coalesce(case when why.dispute is not null then json_build_object('id', why.dispute, 'status', why.dispute_status) end, 'null')::text as dispute
    from (
      select *, date_trunc('milliseconds', created_at) as shown_at from receivables
      where operator_id = ${operatorId} and (${before?.created_at ?? null}::timestamptz is null
        or (date_trunc('milliseconds', created_at), id) < (${before?.created_at ?? null}::timestamptz, ${before?.id ?? null}))
      order by shown_at desc, id desc limit ${limit}) r
    cross join lateral reason_of('adjustment', r.id) why
    order by r.shown_at desc, r.id desc`);
