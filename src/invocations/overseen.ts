import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { findSummary } from './queries.ts';
import type { OverseenInvocation } from './schema.ts';

/**
 * Shows the platform where an invocation stands: state, times, ids and money. What its parties wrote stays theirs, the hashes of it and the
 * message of a failure included: a guess could be proven by a hash. Support needs the state alone; a person who needs the contents asks a party. The
 * parties' own route would answer one caller with other members. Each read has an audit event, which is written before anything is answered.
 * @throws CarnetError NOT_FOUND
 */
export async function overseeInvocation(
  context: Context,
  call: CommandCall,
  id: string,
): Promise<Answered<OverseenInvocation>> {
  const found = await findSummary(context.pool, id);
  assertThat(found, () => notFound('invocation'));
  const { input_hash: _input, output_hash: _output, error, ...shown } = found;
  const body: OverseenInvocation = { ...shown, error_code: error?.code ?? null };
  return runCommand(context, call, async (unit) => {
    await unit.audit('invocation.overseen', id, { status: body.status });
    return { status: 200, body };
  });
}
