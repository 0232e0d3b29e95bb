import type { Answered } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { quietArguments, type Act } from './act.ts';
import { rowChanged } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import type { HeartbeatBody, Invocation } from './schema.ts';

/**
 * The provider still works on the invocation: its lease begins again.
 * @throws CarnetError NOT_FOUND, NOT_PROVIDER, INVOCATION_EXPIRED, LEASE_LOST, INVOCATION_NOT_PROCESSING, NO_LEASE.
 */
export async function heartbeatInvocation(
  context: Context,
  act: Act,
  { id, body }: { id: string; body: HeartbeatBody },
): Promise<Answered<Invocation>> {
  const query = sql.type(InvocationAnswerRow)`
    select * from heartbeat_invocation(${quietArguments(act)}, p_invocation => ${id}, p_attempt => ${body.attempt ?? null},
      p_lease_seconds => ${body.lease_seconds ?? null})`;
  return answerOf(await runHotCommand(context, act, { query, effects: rowChanged(id) }), act.authority);
}
