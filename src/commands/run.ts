import type { Context } from '../context/context.ts';
import type { Answer, Answered, CommandCall, CommittedRefusal } from './command.ts';
import { step } from './fault-points.ts';
import { forgetKey, keepAnswer, takeKey } from './idempotency.ts';
import { announce, inTransaction, openUnit, type Unit } from './unit.ts';

interface CommandOptions {
  /** The answer holds a one-time secret: kept under the key encrypted. */
  secret?: boolean;
}

/**
 * Runs a command: one transaction that takes the Idempotency-Key, does the work, keeps the answer and leaves the messages. After the
 * commit the delivery and the waiting rows are notified, and the caller does not wait for that. slonik repeats a transaction that lost a
 * race, so `work` must keep no state outside of `unit`.
 * @throws CarnetError what `work` or a constraint refuses, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export async function runCommand<Body>(
  context: Context,
  call: CommandCall,
  work: (unit: Unit) => Promise<Answer<Body> | CommittedRefusal>,
  { secret = false }: CommandOptions = {},
): Promise<Answered<Body>> {
  step(`${call.operation}:before`);
  const ended = await inTransaction(context, async (connection) => {
    const stored = await takeKey<Body>(context, call, connection);
    if (stored !== null) return { answer: stored, replayed: true, changed: [], messages: 0 };
    const { unit, effects } = openUnit(call, connection);
    const answer = await work(unit);
    if ('refusal' in answer) await forgetKey(call, connection);
    else await keepAnswer(context, call, connection, { answer, secret });
    step(`${call.operation}:before-commit`);
    return { answer, replayed: false, ...effects() };
  });
  step(`${call.operation}:committed`);
  announce(context, ended);
  if ('refusal' in ended.answer) throw ended.answer.refusal;
  return { ...ended.answer, replayed: ended.replayed };
}
