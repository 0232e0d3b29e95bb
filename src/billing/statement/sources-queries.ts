import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';

const PageRow = z.object({
  calls: z.string().nullable(),
  runs: z.string().nullable(),
  ended: z.number(),
  more: z.boolean(),
});

/**
 * A page of what a debit stands for: JSON without its brackets, and where it ended in the stream of the meter, in microcents.
 * @param page.from where the page before ended; null: the first one
 * @returns null where the operator has no such row
 */
export const readSourcesPage = (
  connection: CommonQueryMethods,
  { operatorId, id, from, limit }: { operatorId: OperatorId; id: string; from: number | null; limit: number },
): Promise<z.infer<typeof PageRow> | null> =>
  connection.maybeOne(sql.type(PageRow)`
    select s.calls, s.runs, coalesce(page.ended, 0) as ended, coalesce(page.ended < debit.up_to, false) as more
    from (
      select wallet, meter, coalesce(${from}::bigint, meter_from_cents * 1000000) as began, (meter_from_cents + amount_cents) * 1000000 as up_to
      from transfers where id = ${id} and wallet = ${operatorId}) debit
    cross join lateral end_of_sources(debit.wallet, debit.meter, debit.began, debit.up_to, ${limit}) as page (ended)
    cross join lateral usage_sources_text(debit.wallet, debit.meter, debit.began, page.ended, ${limit}) s`);
