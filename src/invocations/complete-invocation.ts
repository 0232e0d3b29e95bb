import type { Answered } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { canonicalJson, sha256Hex } from '../json/canonical.ts';
import { CarnetError, withFaults } from '../errors/carnet-error.ts';
import { newId } from '../ids/ids.ts';
import { actArguments, type Act } from './act.ts';
import { rowChanged } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import { checkOutput } from './payload-check.ts';
import type { CompleteBody, Invocation } from './schema.ts';

/**
 * The provider delivers the output, and the held price becomes its earnings in one transfer. Sending the same output
 * again is answered the same. The output must fit the output schema of the revision that was invoked.
 * @throws CarnetError NOT_FOUND, NOT_PROVIDER, INVOCATION_EXPIRED, LEASE_LOST, INVOCATION_NOT_PROCESSING,
 *   OUTPUT_SCHEMA_MISMATCH.
 */
export async function completeInvocation(
  context: Context,
  act: Act,
  { id, body }: { id: string; body: CompleteBody },
): Promise<Answered<Invocation>> {
  const output = JSON.stringify(body.output);
  const faults = await checkOutput(context, id, { output, authority: act.authority });
  const query = sql.type(InvocationAnswerRow)`
    select * from complete_invocation(${actArguments(act)}, p_invocation => ${id}, p_attempt => ${body.attempt ?? null},
      p_output => ${output}, p_output_hash => ${sha256Hex(canonicalJson(body.output))},
      p_output_fits => ${faults.length === 0}, p_transfer => ${newId('txn')})`;
  try {
    return answerOf(await runHotCommand(context, act, { query, effects: rowChanged(id) }), act.authority);
  } catch (error) {
    if (error instanceof CarnetError && error.code === 'OUTPUT_SCHEMA_MISMATCH') {
      throw withFaults(error, faults);
    }
    throw error;
  }
}
