import { sql } from '../../../database/pool.ts';
import type { LedgerLaw } from './law.ts';

/** Earnings that were paid out. */
export const payoutLaws: readonly LedgerLaw[] = [
  {
    law: 'a payout is its transfers, and a failed one their return',
    means: 'net to the publisher and commission to the platform, once; and nothing else leaves earnings',
    of: 'transfers of payouts',
    rows: sql.fragment`
      select coalesce(e.kind || ' ' || e.cause, t.kind || ' ' || t.cause) as subject, t.amount_cents::text as stored, e.cents::text as proven,
        (t.amount_cents, t.debit_account, t.credit_account) is not distinct from (e.cents, e.debit_account, e.credit_account) as holds
      from (
        select kind, case when returned then id || ':returned' else id end as cause, cents,
          case when returned then side else 'earnings:' || operator_id end as debit_account,
          case when returned then 'earnings:' || operator_id else side end as credit_account
        from payouts,
          lateral (values ('payout', 'platform:payouts', net_cents), ('commission', 'platform:commission', commission_cents))
            as parts (kind, side, cents),
          (values (false), (true)) as ways (returned)
        where cents > 0 and (status = 'failed' or (status in ('transferring', 'paid') and not returned))) e
      full join (select * from transfers where kind in ('payout', 'commission')) t on t.kind = e.kind and t.cause = e.cause`,
  },
];
