import { z } from 'zod';
import { json, textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { ClaimId, OperatorId } from '../ids/ids.ts';

interface IntentClaim {
  id: ClaimId;
  agentId: string;
  target: string;
  action: string;
}

const IntentRow = z.object({
  id: z.string(),
  payload: json.pipe(z.object({ agent_id: z.string(), target: z.string(), action: z.string() })),
});

/**
 * Those of the named claims that are intents of agents of this operator and are neither revoked nor erased, in the order in which they
 * were recorded; the others are left out.
 */
export async function findIntentClaims(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<IntentClaim[]> {
  const rows = await connection.any(sql.type(IntentRow)`
    select id, envelope::json ->> 'payload' as payload from claims
    where id = any(${textArray(ids)}) and issuer = ${operatorId} and claim_type = 'intent_claim' and revoked_at is null and erased_at is null
    order by seq`);
  return rows.map(({ id, payload: { agent_id: agentId, target, action } }) => ({
    id: id as ClaimId,
    agentId,
    target,
    action,
  }));
}
