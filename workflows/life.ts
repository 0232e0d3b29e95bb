import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import { markEnded } from './life-status.ts';

/** Wakes any life, which then reads its row. It carries nothing: a message that is lost, late or doubled changes no decision. */
export const wake = defineSignal('wake');

/**
 * For a caller who waits until a life has opened a hosted page. Callers open pages themselves by now (decision B60). The histories of runs
 * that have answered one do not replay without it, and a process of the release before sends it during an upgrade. `again`: the run
 * continues as new, which no waiting call survives; the same call reaches the next run.
 */
const ready = defineUpdate<'ready' | 'again'>('ready');

/** The result of one look at the row. */
interface Step {
  /** Milliseconds by Postgres' clock, at least 1,000, after which the row is read again; null: when the life is woken. */
  waitMs: number | null;
}

/** A signal or update from outside. */
export interface Signal<Name extends string> {
  kind: Name;
  /** Unchecked; `UNDECODABLE` where no converter can read it. */
  argument: unknown;
  /** The same for every delivery of one signal, and for every repetition of one update. */
  signalId: string;
}

/** One that waits to be performed; `answer` is there where its sender waits for what comes of it. */
interface Waiting<Name extends string> extends Signal<Name> {
  answer?(performed: Performed): void;
}

/** The outcome of a signal or update: why it is refused, or what its sender is answered. Nothing that no history may hold. */
export type Performed = { refused: Refusal } | { refused: null; answer: unknown };

/** Why what a signal wants is not done. */
export interface Refusal {
  code: string;
  detail: string;
}

/** Ends of the sentences that give the reason for a refusal. */
interface Refusals {
  /** Absent: the run takes no signals. */
  unknownSignal?: string;
  cancelRequest: string;
}

/** A kind of life; `live` does what all have in common. */
interface Life<S extends Step, Next extends string, SignalName extends string = never> {
  /** A step in the database: advances the row in one conditional transaction, and returns where it stands. */
  advance(id: string): Promise<S>;
  /** The step of the life now: `wait`, `end`, or one of `act`. */
  next(step: S): Next;
  /** Outbound steps. When one fails nothing is lost: the row still requires it. */
  act: Record<Exclude<Next, 'wait' | 'end'>, (id: string, step: S) => Promise<unknown>>;
  /** The text that a person reads in the Temporal UI: what the run waits for, and until when. Nothing that no history may hold. */
  describe(step: S): string;
  /** The result of the run, when it ends: the final status of the row. */
  result(step: S): string;
  refusals: Refusals;
  /** Whether callers of `ready` have what they wait for. Absent: nobody ever waited on such a life. */
  isReady?(step: S): boolean;
  /** Signals from outside, besides `wake`. Each can be sent as an update too, whose sender waits for what comes of it. */
  signals?: {
    /** By name, what it carries, shown beside it in the Temporal UI. */
    arguments: Record<SignalName, string>;
    /** A refusal is an answer, never a failure of the run. */
    perform(id: string, signal: Signal<SignalName>): Promise<Performed>;
    /** The argument of the workflow: what waited in the run before, which continued as this one. */
    carried: Signal<SignalName>[];
  };
}

/** Refusals that the details of a run show. */
const REFUSALS_SHOWN = 3;
/** A person who has mended what failed waits no longer than this. */
const MAX_PAUSE_MS = 120_000;
/**
 * Characters of JSON, three bytes each at most: what a run hands to the next is one payload, which may have 2 MiB. The server's other
 * limits of a run are ten updates in flight, 2,000 updates in all and 51,200 events.
 */
const CARRIED_CHARACTERS = 500_000;

/**
 * Runs a life: reads its row, does what the row requires, waits, again and again until the row is over. Handlers are there
 * before the first wait and only set flags or push to a queue, since a handler that throws or returns past the run would wedge it. A
 * request to cancel the run is refused: what a life has begun outside of Postgres is not undone by forgetting it.
 *
 * Nothing that came is left behind. What comes while the row is being read counts for the next look at it, and no run ends before that.
 * The server refuses the end of a run to which something came meanwhile; but a task that takes long is handed what came while it lasts.
 */
export async function live<S extends Step, Next extends string, SignalName extends string = never>(
  life: Life<S, Next, SignalName>,
): Promise<string> {
  const id = rowId();
  let woken = false;
  const details = showDetails();
  const signals = receiveSignals(life.signals);
  setHandler(wake, () => void (woken = true));
  const callers = life.isReady === undefined ? undefined : receiveCallers(() => void (woken = true));
  refuseTheRest(life.refusals, details.refuse);
  const isWoken = (): boolean => woken || signals.waiting.length > 0;
  const tries = countTries();

  return await CancellationScope.nonCancellable(async () => {
    for (;;) {
      // Those that are here now: a stream of them keeps the life neither from its row nor from continuing as new.
      for (const { answer, ...signal } of signals.waiting.splice(0)) {
        const performed = await signals.perform(id, signal);
        const { refused } = performed;
        if (refused !== null) {
          const what = answer === undefined ? 'signal' : 'update';
          details.refuse(`Refused ${what} ${signal.kind}: ${refused.code}. ${refused.detail}`);
        }
        answer?.(performed);
      }
      woken = false;
      const callersBefore = callers?.count() ?? 0;
      const step = await life.advance(id);
      const situation = life.describe(step);
      details.show(situation);
      const next = life.next(step);
      if (next === 'end' || life.isReady?.(step) === true) callers?.release(callersBefore);

      if (next === 'end') {
        await condition(() => isWoken() || allHandlersFinished());
        if (!isWoken()) {
          markEnded();
          return life.result(step);
        }
      } else if (next === 'wait') {
        tries.forget();
        await pause(isWoken, step.waitMs, situation);
      } else {
        const pauseMs = await tries.make(step, () => actOf(life, next)(id, step));
        if (pauseMs > 0) await pause(isWoken, pauseMs, `Pauses before the next try. ${situation}`);
      }

      // Here a task has just begun, and ends before much can come: the server refuses to continue a run to which something came meanwhile.
      if (workflowInfo().continueAsNewSuggested && signals.fit()) {
        callers?.sendAway();
        // An update that comes in this task waits for the loop above, and its handler for that.
        await condition(() => allHandlersFinished() || !signals.fit());
        if (!signals.fit()) continue;
        return await continueAsNew<(carried?: Signal<SignalName>[]) => Promise<string>>(...signals.carry());
      }
    }
  });
}

/** The text of a life whose row is over. @param row what the row is, where it is gone */
export const ended = (row: string, status: string): string =>
  `Ended: ${status === 'gone' ? `there is no such ${row}` : status}.`;

/** The id of the row whose life this is: what follows the kind in the workflow id, so no argument can contradict it. */
function rowId(): string {
  const { workflowId } = workflowInfo();
  return workflowId.slice(workflowId.indexOf(':') + 1);
}

/** Limits the characters: the server takes summaries of 400 bytes at most, and fails the task of a longer one. */
const MAX_SUMMARY = 200;

/** The first line of a text, as a summary of a timer. */
function summaryOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 3)}...`;
}

/** @param why shown at the timer in the Temporal UI */
async function pause(isOver: () => boolean, milliseconds: number | null, why: string): Promise<void> {
  if (milliseconds === null) await condition(isOver);
  else await condition(isOver, milliseconds, { summary: summaryOf(why) });
}

function actOf<S extends Step, Next extends string>(
  { act }: Pick<Life<S, Next>, 'act'>,
  next: Next,
): (id: string, step: S) => Promise<unknown> {
  const found = (act as Partial<Record<string, (id: string, step: S) => Promise<unknown>>>)[next];
  if (found === undefined) throw new Error(`A life is to do ${next}, which it does not know.`); // the type of `act` has all
  return found;
}

/**
 * Counts the tries of what a row asks for. A step that fails and one that comes back as done while the row asks for the same as before
 * have both been in vain: each is tried again after a pause, and pauses double.
 */
function countTries() {
  let [asked, inVain, isDone] = ['', 0, false];
  return {
    /** Does it. @returns the milliseconds to pause before the row is read again */
    async make(step: Step, act: () => Promise<unknown>): Promise<number> {
      const asks = JSON.stringify({ ...step, waitMs: null }); // the time that is left differs at each look
      if (asks !== asked) [asked, inVain, isDone] = [asks, 0, false];
      isDone = !isDone && (await succeeds(act));
      if (isDone) return 0;
      inVain += 1;
      return Math.min(1_000 * 2 ** (inVain - 1), MAX_PAUSE_MS);
    },
    forget: (): void => void ([asked, inVain, isDone] = ['', 0, false]),
  };
}

/** False: the time for it is over, or its failure is final; the row says what that means. */
async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    // A step in the database fails as it failed itself, without the failure of an activity around it.
    if (!(error instanceof ActivityFailure || error instanceof ApplicationFailure)) throw error;
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
    refused.push(`${new Date().toISOString()} ${sentence}`); // of the workflow task, so that a replay has the same
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
 * when every other handler is there: it is given what waits for one immediately.
 */
function refuseTheRest(
  { unknownSignal = 'this run takes none.', cancelRequest }: Refusals,
  refuse: (sentence: string) => void,
): void {
  // The name may be of any length.
  setDefaultSignalHandler((name) => refuse(`Refused signal ${name.slice(0, 100)}: ${unknownSignal}`));
  CancellationScope.current().cancelRequested.catch(() => refuse(`Refused to cancel this run: ${cancelRequest}`));
}

/**
 * Puts signals and updates from outside into a queue, in the order in which they came, behind those that the run before handed over. The
 * sender of an update is answered when the main loop has performed it; a refusal reaches them as a failure whose type is its code (rule 4).
 */
function receiveSignals<Name extends string>(signals: Life<Step, string, Name>['signals']) {
  const waiting: Waiting<Name>[] = [...(signals?.carried ?? [])];
  let received = 0;
  const receiveUpdate = async (kind: Name, argument: unknown): Promise<unknown> => {
    let performed: Performed | undefined;
    const signalId = `update/${currentUpdateInfo()?.id ?? ''}`;
    waiting.push({ kind, argument, signalId, answer: (outcome) => void (performed = outcome) });
    // A request to cancel the run cancels nothing, and so no answer.
    await CancellationScope.nonCancellable(() => condition(() => performed !== undefined));
    const { refused, answer } = performed as unknown as { refused: Refusal | null; answer?: unknown };
    if (refused !== null) throw ApplicationFailure.nonRetryable(refused.detail, refused.code);
    return answer;
  };
  for (const kind of Object.keys(signals?.arguments ?? {}) as Name[]) {
    const receive = (argument: unknown): void => {
      received += 1;
      waiting.push({ kind, argument, signalId: `${workflowInfo().runId}/${received}` });
    };
    const description = signals?.arguments[kind];
    const shown = description === undefined ? {} : { description };
    setHandler(defineSignal<[argument?: unknown]>(kind), receive, shown);
    setHandler(defineUpdate<unknown, [argument?: unknown]>(kind), (argument) => receiveUpdate(kind, argument), shown);
  }
  return {
    waiting,
    async perform(id: string, signal: Signal<Name>): Promise<Performed> {
      if (signals === undefined) throw new Error('A life without signals has performed one.'); // its queue stays empty
      return await signals.perform(id, signal);
    },
    /**
     * Whether the next run can be handed those that wait. Where they are too large they are performed first, and so are updates, whose senders
     * wait for this run; the server takes 2,000 a run at most, so no stream of them keeps a life from continuing.
     */
    fit: (): boolean =>
      waiting.every(({ answer }) => answer === undefined) && JSON.stringify(waiting).length <= CARRIED_CHARACTERS,
    /** The arguments of the next run. */
    carry: (): [] | [Signal<Name>[]] => (waiting.length === 0 ? [] : [waiting]),
  };
}

interface Callers {
  /** How many have come; to be read before the row is, so that those who come later are answered by a later look. */
  count(): number;
  /** The first `count` callers have what they wait for. */
  release(count: number): void;
  /** The others call again. */
  sendAway(): void;
}

function receiveCallers(onCaller: () => void): Callers {
  let [came, released, isOver] = [0, 0, false];
  setHandler(ready, async (): Promise<'ready' | 'again'> => {
    const turn = ++came;
    onCaller();
    await condition(() => released >= turn || isOver);
    return released >= turn ? 'ready' : 'again';
  });
  return {
    count: () => came,
    release: (count) => void (released = Math.max(released, count)),
    sendAway: () => void (isOver = true),
  };
}
