import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { markEnded } from './life-status.ts';

/** Wakes any life, which then reads its row. It carries nothing: a message that is lost, late or doubled changes no decision. */
export const wake = defineSignal('wake');

/** For a caller who waits for what a life makes first, such as a hosted page. It carries nothing: what was made is in the row. */
export const ready = defineUpdate<'ready'>('ready');

/** What one look at the row found. */
interface Step {
  /** Milliseconds by Postgres' clock, at least 1,000, after which the row is read again; null: when the life is woken. */
  waitMs: number | null;
}

/** A signal from outside. */
export interface Signal<Name extends string> {
  kind: Name;
  /** Unchecked; `UNDECODABLE` where no converter can read it. */
  argument: unknown;
  /** The same for every delivery of one signal. */
  signalId: string;
}

/** Why what a signal wants is not done. */
export interface Refusal {
  code: string;
  detail: string;
}

/** Ends of the sentences that give the reason for a refusal. */
interface Refusals {
  unknownSignal: string;
  cancelRequest: string;
}

/** A kind of life; `live` does what all have in common. */
interface Life<S extends Step, Next extends string, SignalName extends string = never> {
  /** A step in the database: advances the row in one conditional transaction, and returns where it stands. */
  advance(id: string): Promise<S>;
  /** What the life does now: `wait`, `end`, or one of `act`. */
  next(step: S): Next;
  /** Outbound steps. When one fails nothing is lost: the row still requires it. */
  act: Record<Exclude<Next, 'wait' | 'end'>, (id: string, step: S) => Promise<unknown>>;
  /** What a person reads in the Temporal UI: what the run waits for, and until when. Nothing that no history may hold. */
  describe(step: S): string;
  refusals: Refusals;
  /** Whether callers of `ready` have what they wait for. Absent: nobody waits on such a life. */
  isReady?(step: S): boolean;
  /** Signals from outside, besides `wake`. */
  signals?: {
    /** By name, what a signal carries, shown beside it in the Temporal UI. */
    arguments: Record<SignalName, string>;
    /** A refusal is an answer, never a failure of the run. */
    perform(id: string, signal: Signal<SignalName>): Promise<Refusal | null>;
  };
}

/** Refusals that the details of a run show. */
const REFUSALS_SHOWN = 3;
/** The reconciler wakes a late row every two minutes, which ends a pause: longer ones would be cut short. */
const LONGEST_PAUSE_MS = 120_000;

/**
 * Runs a life: reads its row, does what the row requires, waits, again and again until the row is over. Handlers are there
 * before the first wait and only set flags or push to a queue, since a handler that throws or returns past the run would wedge it. A
 * request to cancel the run is refused: what a life has begun outside of Postgres is not undone by forgetting it.
 */
export async function live<S extends Step, Next extends string, SignalName extends string = never>(
  life: Life<S, Next, SignalName>,
): Promise<void> {
  const id = rowId();
  let woken = false;
  let failures = 0;
  const details = showDetails();
  const signals = receiveSignals(life.signals);
  setHandler(wake, () => void (woken = true));
  const callers = life.isReady === undefined ? undefined : receiveCallers(() => void (woken = true));
  refuseTheRest(life.refusals, details.refuse);
  const isWoken = (): boolean => woken || signals.waiting.length > 0;

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      for (let signal = signals.waiting.shift(); signal !== undefined; signal = signals.waiting.shift()) {
        const refusal = await signals.perform(id, signal);
        if (refusal !== null) details.refuse(`Refused signal ${signal.kind}: ${refusal.code}. ${refusal.detail}`);
      }
      woken = false;
      const callersBefore = callers?.count();
      const step = await life.advance(id);
      details.show(life.describe(step));
      if (callersBefore !== undefined && life.isReady?.(step) === true) callers?.release(callersBefore);
      if (signals.waiting.length > 0) continue;

      const next = life.next(step);
      if (next === 'end') {
        markEnded();
        return await leave(callers);
      }
      if (workflowInfo().continueAsNewSuggested) {
        await leave(callers);
        return await continueAsNew();
      }
      if (next === 'wait') {
        failures = 0;
        await pause(isWoken, step.waitMs);
      } else if (await isDone(() => actOf(life, next)(id, step))) {
        failures = 0;
      } else {
        failures += 1;
        await pause(isWoken, Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS));
      }
    }
  });
}

/** The id of the row whose life this is: what follows the kind in the workflow id, so no argument can contradict it. */
function rowId(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.indexOf(':') + 1);
}

async function pause(isOver: () => boolean, milliseconds: number | null): Promise<void> {
  if (milliseconds === null) await condition(isOver);
  else await condition(isOver, milliseconds);
}

function actOf<S extends Step, Next extends string>(
  { act }: Pick<Life<S, Next>, 'act'>,
  next: Next,
): (id: string, step: S) => Promise<unknown> {
  const found = (act as Partial<Record<string, (id: string, step: S) => Promise<unknown>>>)[next];
  if (found === undefined) throw new Error(`A life is to do ${next}, which it does not know.`); // the type of `act` has all
  return found;
}

/** False: the time for it is over, or its failure is final; the row says what that means. */
async function isDone(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return false;
  }
}

/** The details of the run: its situation, and below it the last refusals. */
function showDetails() {
  let situation: string | undefined;
  const refused: string[] = [];
  const show = (): void => {
    if (situation !== undefined) setCurrentDetails([situation, ...refused.slice(-REFUSALS_SHOWN)].join('\n\n'));
  };
  const refuse = (sentence: string): void => {
    refused.push(sentence);
    show();
  };
  return {
    refuse,
    show(now: string): void {
      situation = now;
      show();
    },
  };
}

/**
 * Refuses signals that no handler takes, which the SDK would keep for ever without a word, and requests to cancel the run. To be called
 * when every other handler is there: it is given what waits for one at once.
 */
function refuseTheRest({ unknownSignal, cancelRequest }: Refusals, refuse: (sentence: string) => void): void {
  // The name may be of any length.
  setDefaultSignalHandler((name) => refuse(`Refused signal ${name.slice(0, 100)}: ${unknownSignal}`));
  CancellationScope.current().cancelRequested.catch(() => refuse(`Refused to cancel this run: ${cancelRequest}`));
}

/** Puts signals from outside into a queue, in the order in which they came. */
function receiveSignals<Name extends string>(signals: Life<Step, string, Name>['signals']) {
  const waiting: Signal<Name>[] = [];
  let received = 0;
  for (const kind of Object.keys(signals?.arguments ?? {}) as Name[]) {
    const receive = (argument: unknown): void => {
      received += 1;
      waiting.push({ kind, argument, signalId: `${workflowInfo().runId}/${received}` });
    };
    const description = signals?.arguments[kind];
    setHandler(defineSignal<[argument?: unknown]>(kind), receive, description === undefined ? {} : { description });
  }
  return {
    waiting,
    perform: async (id: string, signal: Signal<Name>): Promise<Refusal | null> =>
      (await signals?.perform(id, signal)) ?? null,
  };
}

interface Callers {
  /** How many have come; to be read before the row is, so that those who come later are released by a later look. */
  count(): number;
  /** Answers the first `count` callers. */
  release(count: number): void;
}

function receiveCallers(onCaller: () => void): Callers {
  let [came, released] = [0, 0];
  setHandler(ready, async (): Promise<'ready'> => {
    const turn = ++came;
    onCaller();
    await condition(() => released >= turn);
    return 'ready';
  });
  return { count: () => came, release: (count) => void (released = Math.max(released, count)) };
}

/** The only way out of a life: a run that returns past a waiting handler is wedged. Callers read the row next, whatever it says. */
async function leave(callers: Callers | undefined): Promise<void> {
  callers?.release(Number.MAX_SAFE_INTEGER);
  await condition(allHandlersFinished);
}
