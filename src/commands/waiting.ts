import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Answer, Answered, CommandCall } from './command.ts';
import { faultPoint } from './fault-points.ts';
import { inSpan } from '../tracing/tracing.ts';
import { forgetKey, keepAnswer, lapseKey, reserveKey, takeKey } from './idempotency.ts';
import { announce, inTransaction, openUnit, type Unit } from './unit.ts';

/** A command whose answer is made by an outside effect. */
interface WaitingCommand<Body> {
  /** The effect is known by it, where the key is new. */
  id: string;
  /** Writes the row of what begins, in the transaction that reserves the key. */
  begin(unit: Unit): Promise<void>;
  /**
   * Has the effect, or waits until a life has had it, outside of every transaction.
   * @throws CarnetError TEMPORARILY_UNAVAILABLE where its outcome is not known in time.
   */
  wait(id: string): Promise<void>;
  /** The outcome, read from the row; kept under the key. @throws CarnetError where it was refused for good. */
  answer(unit: Unit, id: string): Promise<Answer<Body>>;
}

/**
 * Runs a command that waits on an outside effect: one transaction reserves the Idempotency-Key together with the id that the effect is known
 * by; then the effect follows; a second transaction keeps the answer. After a 503 or a crash the next call with the same key finds the same
 * id, so nothing is begun twice; after a refusal the key is free again. The answer is kept encrypted: it opens something.
 * @throws CarnetError as `work` does, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export const runWaitingCommand = <Body>(
  context: Context,
  call: CommandCall,
  command: WaitingCommand<Body>,
): Promise<Answered<Body>> => inSpan(`command ${call.operation}`, {}, () => reserveAndWait(context, call, command));

async function reserveAndWait<Body>(
  context: Context,
  call: CommandCall,
  { id, ...work }: WaitingCommand<Body>,
): Promise<Answered<Body>> {
  faultPoint(`${call.operation}:before`);
  const begun = await inTransaction(context, async (connection) => {
    const reserved = await reserveKey(call, connection, id);
    if (reserved === null) {
      return { id, answer: await takeKey<Body>(context, call, connection), changed: [], messages: 0 };
    }
    const { unit, effects } = openUnit(call, connection);
    if (reserved === id) await work.begin(unit);
    faultPoint(`${call.operation}:before-reserved`);
    return { id: reserved, answer: null, ...effects() };
  });
  if (begun.answer !== null) return { ...begun.answer, replayed: true };
  faultPoint(`${call.operation}:reserved`);
  announce(context, begun);
  try {
    await work.wait(begun.id);
    faultPoint(`${call.operation}:waited`);
    const ended = await inTransaction(context, async (connection) => {
      const { unit, effects } = openUnit(call, connection);
      const answer = await work.answer(unit, begun.id);
      await keepAnswer(context, call, { connection, answer, secret: true });
      faultPoint(`${call.operation}:before-commit`);
      return { answer, ...effects() };
    });
    faultPoint(`${call.operation}:committed`);
    announce(context, ended);
    return { ...ended.answer, replayed: false };
  } catch (error) {
    const refused = error instanceof CarnetError && error.code !== 'TEMPORARILY_UNAVAILABLE';
    await inTransaction(context, (connection) => (refused ? forgetKey(call, connection) : lapseKey(call, connection)));
    throw error;
  }
}
