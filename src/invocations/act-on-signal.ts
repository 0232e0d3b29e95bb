import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { assertFewValues, parseStrictJson, StrictJsonFault } from '../json/strict.ts';
import { actOfSignal } from './act.ts';
import { cancelInvocation } from './cancel-invocation.ts';
import { claimInvocation } from './claim-invocation.ts';
import { completeInvocation } from './complete-invocation.ts';
import { failInvocation } from './fail-invocation.ts';
import { ClaimBodySchema, CompleteBodySchema, FailBodySchema, MAX_PAYLOAD_VALUES, type Invocation } from './schema.ts';

/** A signal or an update that somebody sent to the life of an invocation through Temporal. */
interface SignalledAct {
  kind: 'claim' | 'complete' | 'fail' | 'cancel';
  /** The payload that it carried, unchecked. */
  argument: unknown;
  /** The same for every delivery of one signal or update. */
  signalId: string;
}

/** Where the invocation stands after the act: nothing that no history may hold, so neither input nor output (rule 3). */
type Standing = Pick<Invocation, 'status' | 'attempt' | 'lease_until'>;

type SignalOutcome = { refused: null; answer: Standing } | { refused: { code: string; detail: string }; answer: null };

/** Like a POST without body. */
const Nothing = z.strictObject({});

/** Bytes of JSON. A signal's argument stays in the history of the run; larger outputs come by REST, which keeps none there. */
const MAX_ARGUMENT_BYTES = 256 * 1024;

/**
 * Does for a signal or an update from Temporal's UI, CLI or SDK what the REST call of the same name does, once for each `signalId`,
 * however often it is delivered. A refusal is returned; only what passes throws, so that the step is tried again: a database
 * that does not answer, or a provider whose checks have used their processor time.
 */
export async function actOnSignal(context: Context, id: string, act: SignalledAct): Promise<SignalOutcome> {
  try {
    const { status, attempt, lease_until } = await perform(context, id, act);
    return { refused: null, answer: { status, attempt, lease_until } };
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal === null) throw error;
    return { refused: refusal, answer: null };
  }
}

async function perform(context: Context, id: string, { kind, argument, signalId }: SignalledAct): Promise<Invocation> {
  const act = actOfSignal({ invocationId: id, kind, signalId });
  const body = parseArgument(argument);
  switch (kind) {
    case 'claim':
      return (await claimInvocation(context, act, { id, body: ClaimBodySchema.parse(body) })).body;
    case 'complete':
      return (await completeInvocation(context, act, { id, body: CompleteBodySchema.parse(body) })).body;
    case 'fail':
      return (await failInvocation(context, act, { id, body: FailBodySchema.parse(body) })).body;
    case 'cancel':
      Nothing.parse(body);
      return (await cancelInvocation(context, act, id)).body;
  }
}

/** Reads the argument as a request body is read; none is `{}`. */
function parseArgument(argument: unknown): unknown {
  const text = JSON.stringify(argument ?? {});
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_ARGUMENT_BYTES) {
    throw new CarnetError(
      'BODY_TOO_LARGE',
      'A signal or update carries 256 KiB at most; complete with a larger output over HTTP.',
    );
  }
  assertFewValues(bytes, MAX_PAYLOAD_VALUES);
  return parseStrictJson(text);
}

function asRefusal(error: unknown): SignalOutcome['refused'] {
  if (
    error instanceof CarnetError &&
    error.code !== 'TEMPORARILY_UNAVAILABLE' &&
    error.code !== 'IDEMPOTENCY_IN_FLIGHT' &&
    error.code !== 'RATE_LIMITED'
  ) {
    const faults = error.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    return {
      code: error.code,
      detail: [error.message, ...faults.filter((fault) => !error.message.includes(fault))].join(' '),
    };
  }
  if (error instanceof z.ZodError) return { code: 'VALIDATION_ERROR', detail: sentenceOf(error) };
  if (error instanceof StrictJsonFault) return { code: 'VALIDATION_ERROR', detail: error.message };
  return null;
}

/** All faults in one line, since the details of a run show them so: `error.code: Too small …; attempt: …`. */
const sentenceOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'argument'}: ${message}`).join('; ');
