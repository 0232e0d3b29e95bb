import type { Context } from '../context.ts';
import { describePayoutRows } from './payout-queries.ts';

/** What a person sees of the life of a payout in the Temporal UI: not the account it goes to. */
export interface PayoutDescription {
  operatorIds: string[];
  agentId: null;
  skillId: null;
  summary: string;
  /** Markdown. */
  details: string;
}

/** One query for several ids, `op_…:YYYY-MM`; ids without a row are left out. */
export async function describePayouts({ pool }: Context, ids: string[]): Promise<Map<string, PayoutDescription>> {
  const rows = await describePayoutRows(pool, ids);
  return new Map(
    rows.map(({ id, operator_id: operatorId, month, net_cents: cents }) => [
      id,
      {
        operatorIds: [operatorId],
        agentId: null,
        skillId: null,
        summary: `Payout of ${month} to ${operatorId}`,
        details: [`Payout of ${month}`, `- operator \`${operatorId}\``, `- ${cents} cents after commission`].join('\n'),
      },
    ]),
  );
}
