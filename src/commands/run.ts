import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { Answer, Answered, CommandCall, CommittedRefusal } from './command.ts';
import { faultPoint } from './fault-points.ts';
import { forgetKey, keepAnswer, takeKey } from './idempotency.ts';
import { inSpan } from '../tracing/tracing.ts';
import { announce, inTransaction, openUnit, type Unit } from './unit.ts';

interface KeptCommand<Body, Kept> {
  work: Work<Body>;
  /** The answer holds a one-time secret: kept under the key encrypted. */
  secret?: boolean;
  /** For an answer that is large or holds what must not lie under the key. */
  kept?: KeptPart<Body, Kept>;
}

/**
 * The part of an answer that is kept under its key; the rest is made again from rows that never change, so that a replay is what was answered. Whole,
 * a passport, code, schemas, inputs and outputs would lie there a second time, in clear.
 */
export interface KeptPart<Body, Kept> {
  reduce(body: Body): Kept;
  restore(connection: CommonQueryMethods, kept: Kept): Promise<Body>;
}

type Work<Body> = (unit: Unit) => Promise<Answer<Body> | CommittedRefusal>;

/**
 * Runs a command: one transaction that takes the Idempotency-Key, does the work, keeps the answer and leaves the messages. After the
 * commit the delivery and the waiting rows are notified, and the caller does not wait for that. slonik repeats a transaction that lost a
 * race, so `work` must keep no state outside of `unit`.
 * @throws CarnetError what `work` or a constraint refuses, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export const runCommand = <Body>(context: Context, call: CommandCall, work: Work<Body>): Promise<Answered<Body>> =>
  runKeptCommand(context, call, { work });

/** The same for a command whose answer is kept in another form than it is sent in. @throws CarnetError as `runCommand` does */
export async function runKeptCommand<Body, Kept = Body>(
  context: Context,
  call: CommandCall,
  { work, secret = false, kept }: KeptCommand<Body, Kept>,
): Promise<Answered<Body>> {
  faultPoint(`${call.operation}:before`);
  const ended = await inSpan(`command ${call.operation}`, {}, () =>
    inTransaction(context, async (connection) => {
      const answered = await replayed(context, call, { connection, kept });
      if (answered !== null) return { answer: answered, replayed: true, changed: [], messages: 0 };
      const { unit, effects } = openUnit(call, connection);
      const answer = await work(unit);
      if ('refusal' in answer) await forgetKey(call, connection);
      else {
        const body = kept === undefined ? answer.body : kept.reduce(answer.body);
        await keepAnswer(context, call, { connection, answer: { ...answer, body }, secret });
      }
      faultPoint(`${call.operation}:before-commit`);
      return { answer, replayed: false, ...effects() };
    }),
  );
  faultPoint(`${call.operation}:committed`);
  announce(context, ended);
  if ('refusal' in ended.answer) throw ended.answer.refusal;
  return { ...ended.answer, replayed: ended.replayed };
}

async function replayed<Body, Kept>(
  context: Context,
  call: CommandCall,
  { connection, kept }: { connection: CommonQueryMethods; kept: KeptPart<Body, Kept> | undefined },
): Promise<Answer<Body> | null> {
  if (kept === undefined) return takeKey<Body>(context, call, connection);
  const stored = await takeKey<Kept>(context, call, connection);
  return stored === null ? null : { ...stored, body: await kept.restore(connection, stored.body) };
}
