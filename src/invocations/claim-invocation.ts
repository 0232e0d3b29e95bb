import type { Answered } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { actArguments, type Act } from './act.ts';
import { rowChanged } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import { rememberClaimed } from './payload-check.ts';
import type { ClaimBody, Invocation } from './schema.ts';

/**
 * The provider claims a pending invocation; of several who try one wins.
 * @throws CarnetError NOT_FOUND, NOT_PROVIDER, SERVICE_EXECUTED, INVOCATION_EXPIRED, INVOCATION_NOT_PENDING,
 *   LEASE_LOST.
 */
export async function claimInvocation(
  context: Context,
  act: Act,
  { id, body }: { id: string; body: ClaimBody },
): Promise<Answered<Invocation>> {
  const query = sql.type(InvocationAnswerRow)`
    select * from claim_invocation(${actArguments(act)}, p_invocation => ${id}, p_attempt => ${body.attempt ?? null},
      p_lease_seconds => ${body.lease_seconds ?? null})`;
  const answer = answerOf(await runHotCommand(context, act, { query, effects: rowChanged(id) }), act.authority);
  rememberClaimed(context, answer.body);
  return answer;
}
