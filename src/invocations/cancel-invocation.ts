import type { Answered } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { actArguments, type Act } from './act.ts';
import { rowChanged } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import type { Invocation } from './schema.ts';

/**
 * The consumer withdraws an invocation that nobody has claimed; the hold is released. Repeating it is answered the same.
 * @throws CarnetError NOT_FOUND, NOT_OWNER, INVOCATION_EXPIRED, INVOCATION_NOT_PENDING.
 */
export async function cancelInvocation(context: Context, act: Act, id: string): Promise<Answered<Invocation>> {
  const query = sql.type(
    InvocationAnswerRow,
  )`select * from cancel_invocation(${actArguments(act)}, p_invocation => ${id}, p_agent => ${act.agentAlone})`;
  return answerOf(await runHotCommand(context, act, { query, effects: rowChanged(id) }), act.authority);
}
