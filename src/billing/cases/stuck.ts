import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

const StuckRow = z.object({ payouts: z.number(), refunds: z.number() });

/**
 * In Prometheus' text format, as the database has it when it is asked, by indexes of what is under way alone. A bank may take its time: a day,
 * as a refund has before it is a case.
 */
export async function stuckMetrics({ pool }: { pool: CommonQueryMethods }): Promise<string> {
  const { payouts, refunds } = await pool.one(sql.type(StuckRow)`
    select
      (select count(*) from payouts where status in ('due', 'transferring') and created_at < clock_timestamp() - interval '1 day') as payouts,
      (select count(*) from refunds where status = 'pending' and created_at < clock_timestamp() - interval '1 day') as refunds`);
  return `# HELP carnet_payouts_stuck Payouts that are due or being transferred for more than a day
# TYPE carnet_payouts_stuck gauge
carnet_payouts_stuck ${payouts}
# HELP carnet_refunds_stuck Refunds that the payment provider has not settled for more than a day
# TYPE carnet_refunds_stuck gauge
carnet_refunds_stuck ${refunds}
`;
}
