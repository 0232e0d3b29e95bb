import type { Activities } from '../activities/index.ts';
import type { MAX_LEASE_SECONDS, MIN_LEASE_SECONDS } from '../src/invocations/schema.ts';
import { ended, live, type Performed, type Signal } from './life.ts';
import { database, databaseStep, sealed } from './steps.ts';
import { isUndecodable } from './undecodable.ts';

type Step = Awaited<ReturnType<Activities['advanceInvocation']>>;
type SignalName = Parameters<Activities['actOnSignal']>[1]['kind'];

/** No value of src is loaded into a workflow, so its text is held against the range by its type. */
type ClaimArgument =
  `{"lease_seconds"?: ${typeof MIN_LEASE_SECONDS} to ${typeof MAX_LEASE_SECONDS}, "attempt"?: number}`;

/** Signals and updates that do the same as POST …/claim, …/complete, …/fail and …/cancel, for everybody who reaches the Temporal namespace: what each carries, as signal or update. */
const SIGNALS = {
  claim: '{"lease_seconds"?: 5 to 3600, "attempt"?: number}' satisfies ClaimArgument,
  complete: '{"output": object, "attempt"?: number}, 256 KiB at most',
  fail: '{"error": {"code": string, "message": string}, "attempt"?: number}',
  cancel: 'nothing; only while pending',
} satisfies Record<SignalName, string>;

/** The life of an invocation: its deadline, its lease, signals from outside, what the service executes itself, and what follows the end. */
export const invocation = (carried: Signal<SignalName>[] = []): Promise<string> =>
  live({
    advance: database.advanceInvocation,
    next: (step) => (!step.open ? 'end' : isExecuting(step) ? 'execute' : 'wait'),
    act: { execute: (id) => sealed.executeSealedStep(id) },
    describe,
    result: ({ status }) => status,
    signals: { arguments: SIGNALS, perform, carried },
    // Cancelling the run is not cancelling the invocation: its consumer may do that, and only while it is pending.
    refusals: {
      unknownSignal: `there is no such signal; there are ${Object.keys(SIGNALS).join(', ')}.`,
      cancelRequest: 'signal `cancel` cancels the invocation, and then the run ends.',
    },
  });

/** Through the domain function of the REST route. */
async function perform(invocationId: string, signal: Signal<SignalName>): Promise<Performed> {
  if (isUndecodable(signal.argument)) {
    const detail = 'The argument cannot be decoded; send JSON (encoding json/plain).';
    return { refused: { code: 'VALIDATION_ERROR', detail } };
  }
  const summary = `Performs ${signal.kind}, which was sent through Temporal.`;
  return await database.actOnSignal.executeWithOptions({ ...databaseStep, summary }, [invocationId, signal]);
}

/** A step of the release before has no count. */
const isExecuting = ({ stepsDone }: Step): boolean => typeof stepsDone === 'number';

function describe(step: Step): string {
  if (!step.open) return ended('invocation', step.status);
  if (isExecuting(step)) {
    return `Executes the skill: ${step.stepsDone} steps are done. Expires at ${step.expiresAt}.`;
  }
  if (step.leaseUntil !== null) {
    return `Claimed (attempt ${step.attempt}). Waits for completion until ${step.leaseUntil}, when the claim lapses; expires at ${step.expiresAt}.`;
  }
  if (step.status === 'processing')
    return `Claimed (attempt ${step.attempt}). Waits for completion until ${step.expiresAt}.`;
  return `Waits for claim or completion until ${step.expiresAt}.`;
}
