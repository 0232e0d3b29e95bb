import type { Context } from '../../context/context.ts';
import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import { describePayoutRows } from './queries.ts';

/** One query for several ids, `op_…:YYYY-MM`; ids without a row are left out. Not with the account that it goes to. */
export const describePayouts = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describePayoutRows(pool, ids), ({ operator_id: operatorId, month, net_cents: cents }) => ({
    operatorIds: [operatorId],
    summary: `Payout of ${month} to ${operatorId}`,
    details: [`Payout of ${month}`, `- operator \`${operatorId}\``, `- ${cents} cents after commission`].join('\n'),
  }));
