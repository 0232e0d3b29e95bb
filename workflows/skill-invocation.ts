import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { collectRefusals, databaseStep, leave, rowId, wake } from './life.ts';
import { markEnded } from './life-status.ts';
import { isUndecodable } from './undecodable.ts';

type Step = Awaited<ReturnType<Activities['advanceInvocation']>>;
type ActKind = Parameters<Activities['actOnInvocationSignal']>[1]['kind'];

/** What a signal from outside asks for; its argument is unchecked until the activity parses it. */
interface Act {
  kind: ActKind;
  argument: unknown;
  signalId: string;
}

interface Refusal {
  code: string;
  detail: string;
}

/** The doors from outside (decisions K54): the same rooms as POST …/claim, …/complete, …/fail, …/cancel. */
export const invocationSignals = {
  claim: defineSignal<[argument?: unknown]>('claim'),
  complete: defineSignal<[argument?: unknown]>('complete'),
  fail: defineSignal<[argument?: unknown]>('fail'),
  cancel: defineSignal<[argument?: unknown]>('cancel'),
} satisfies Record<ActKind, unknown>;

/** Shown beside the signal in the Temporal UI. */
const ARGUMENTS: Record<ActKind, string> = {
  claim: '{"lease_seconds"?: 5 to 3600, "attempt"?: number}',
  complete: '{"output": object, "attempt"?: number}, 256 KiB at most',
  fail: '{"error": {"code": string, "message": string}, "attempt"?: number}',
  cancel: 'nothing; only while pending',
};

/** Cancelling the run is not cancelling the invocation: its consumer may do that, and only while it is pending (decisions K33). */
const REFUSALS = {
  unknownSignal: `there is no such signal; there are ${Object.keys(invocationSignals).join(', ')}.`,
  cancelRequest: 'signal `cancel` cancels the invocation, and then the run ends.',
};

/** For a step that does not say how long to wait (architecture rule 2: "not yet" re-arms after at least a second). */
const RE_ARM_MS = 1_000;

const { advanceInvocation, actOnInvocationSignal } = proxyLocalActivities<Activities>(databaseStep);

/** The life of an invocation: its deadline, its lease, signals from outside, and what follows the end. */
export async function skillInvocation(): Promise<void> {
  const invocationId = rowId();
  const acts: Act[] = [];
  let received = 0;
  let woken = false;

  setHandler(wake, () => void (woken = true));
  for (const kind of Object.keys(invocationSignals) as ActKind[]) {
    const take = (argument: unknown): void => {
      received += 1;
      acts.push({ kind, argument, signalId: `${workflowInfo().runId}/${received}` });
    };
    setHandler(invocationSignals[kind], take, { description: ARGUMENTS[kind] });
  }
  const refusals = collectRefusals(REFUSALS, () => void (woken = true));

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      for (let act = acts.shift(); act !== undefined; act = acts.shift()) {
        const refused = await perform(invocationId, act);
        if (refused !== null) refusals.add(`Refused signal ${act.kind}: ${refused.code}. ${refused.detail}`);
      }
      woken = false;
      const step = await advanceInvocation(invocationId);
      setCurrentDetails(refusals.under(situation(step)));
      if (acts.length > 0) continue;
      if (!step.open) {
        markEnded();
        return await leave();
      }
      if (workflowInfo().continueAsNewSuggested) {
        await leave();
        return await continueAsNew<typeof skillInvocation>();
      }
      await condition(() => woken || acts.length > 0, step.waitMs ?? RE_ARM_MS);
    }
  });
}

/** Through the domain function of the REST route; a refusal is an answer, never a failure of the run. */
async function perform(invocationId: string, act: Act): Promise<Refusal | null> {
  if (isUndecodable(act.argument)) {
    return { code: 'VALIDATION_ERROR', detail: 'The argument cannot be decoded; send JSON (encoding json/plain).' };
  }
  const { refused } = await actOnInvocationSignal(invocationId, act);
  return refused;
}

/** What a person reads in the Temporal UI: what the run waits for, and until when. */
function situation(step: Step): string {
  if (!step.open) return step.status === 'gone' ? 'Ended: there is no such invocation.' : `Ended: ${step.status}.`;
  if (step.leaseUntil !== null) {
    return `Claimed (attempt ${step.attempt}). Waits for completion until ${step.leaseUntil}, when the claim lapses; expires at ${step.expiresAt}.`;
  }
  if (step.status === 'processing')
    return `Claimed (attempt ${step.attempt}). Waits for completion until ${step.expiresAt}.`;
  return `Waits for claim or completion until ${step.expiresAt}.`;
}
