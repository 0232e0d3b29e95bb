import type { Answered } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { canonicalJson } from '../json/canonical.ts';
import { actArguments, type Act } from './act.ts';
import { rowChanged } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import type { FailBody, Invocation } from './schema.ts';

/**
 * The provider gives up an invocation that it claimed; the hold is released. Sending the same error again is answered
 * the same.
 * @throws CarnetError NOT_FOUND, NOT_PROVIDER, INVOCATION_EXPIRED, LEASE_LOST, INVOCATION_NOT_PROCESSING.
 */
export async function failInvocation(
  context: Context,
  act: Act,
  { id, body }: { id: string; body: FailBody },
): Promise<Answered<Invocation>> {
  const query = sql.type(InvocationAnswerRow)`
    select * from fail_invocation(${actArguments(act)}, p_invocation => ${id}, p_attempt => ${body.attempt ?? null},
      p_error => ${canonicalJson({ ...body.error })})`;
  return answerOf(await runHotCommand(context, act, { query, effects: rowChanged(id) }), act.authority);
}
