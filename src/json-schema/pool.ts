import { LRUCache } from 'lru-cache';
import { CarnetError } from '../errors/carnet-error.ts';
import { CpuBudget } from './cpu-budget.ts';
import { fault, type SchemaFault } from './faults.ts';
import type { Answer, Job } from './messages.ts';
import { Thread, type Death, type JobLimits } from '../threads/thread.ts';
import { Turns } from '../turns/turns.ts';

/** Jobs that may wait for a thread: an ordinary job takes well under a millisecond, so they take a second at most. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_CALLER = 200;
/** Each may take a second, so more than five would wait in vain for the last of them; callers take turns. */
const MAX_SLOW_WAITING = 128;
const MAX_SLOW_WAITING_OF_CALLER = 16;
/** Processor time above which the checks of a caller against a schema are slow, and below which they are light, milliseconds. */
const SLOW_MS = 50;
const LIGHT_MS = 5;
/** How long a pair of caller and schema is slow; then it is tried beside the others again. */
const SLOW_FOR_MS = 60_000;
/** Pairs of caller and schema whose cost is remembered. */
const MAX_PAIRS = 10_000;
/** Schemas whose text is assumed to be in a thread's cache; a thread without it answers `missing`. */
const MAX_KNOWN = 1_000;

export interface CheckLimits extends JobLimits {
  /** For waiting for a thread, in milliseconds; only slow schemas ever make others wait five seconds. */
  waitMs: number;
  /** Processor time of all jobs of one caller in a minute, in milliseconds. */
  budgetMs: number;
}

/**
 * By the clock a job has five times its processor time: a machine with five times too much to do, or a job for which V8 collects garbage all
 * the time, in threads of its own whose time is nobody's.
 */
export const standardLimits: CheckLimits = { jobMs: 1_000, clockMs: 5_000, waitMs: 5_000, budgetMs: 20_000 };

type PoolJob = Job & { schemaText: string; caller: string };

/** A job that is over; `stopped`: it was ended, and `faults` says why. */
interface Done {
  faults: SchemaFault[];
  /** Processor time that it took, milliseconds. */
  cpuMs: number;
  stopped: boolean;
}

interface Pending {
  job: PoolJob;
  caller: string;
  /** Names caller and schema together. */
  pair: string;
  /** Ends the wait for a thread; runs from the call until the job is assigned to one. */
  timer: NodeJS.Timeout | undefined;
  /** It is in a thread, beside others, and counts there. */
  beside: boolean;
  resolve(done: Done): void;
  reject(error: CarnetError): void;
}

/** A place for a thread, and the hashes of the schemas whose text was sent to that thread. */
interface Slot {
  thread: Thread<Pending, Job, Answer> | undefined;
  known: Set<string>;
}

/** Stands for the hash of a schema or pattern that is checked before it is kept. What it took says nothing good about the next one. */
export const NEVER_SEEN = 'never seen';

const pairOf = (caller: string, schemaHash: string): string => `${caller} ${schemaHash}`;

/**
 * Shares jobs between two worker threads (rule 15), which start when there is work and never keep the process alive. Callers are
 * operators, and nobody stops another:
 * - They take turns, however much one of them has waiting. Until it is known that a caller's checks against a schema are light, one of
 *   them is in a thread at a time.
 * - What was slow, or had to be stopped, runs in the second thread only, and alone, while the first is kept for the rest. That is said of
 *   a schema with one caller and never of the schema: what one caller sends makes nobody else's checks wait. Texts that are checked before
 *   they are kept are one schema for that, since each is another: a slow one makes the next ones of the caller run alone for a minute.
 * - Each caller has a budget of processor time. It is measured in the thread, so a busy machine makes nobody slow.
 */
export class Pool {
  readonly #first: Slot = { thread: undefined, known: new Set() };
  readonly #second: Slot = { thread: undefined, known: new Set() };
  readonly #ordinary = new Turns<Pending>();
  readonly #slow = new Turns<Pending>();
  /** By pair; a pair that is not there is tried with one job. */
  readonly #costs = new LRUCache<string, 'light' | 'slow'>({ max: MAX_PAIRS });
  /** Jobs in threads, those that are slow left out, by caller. */
  readonly #inThreads = new Map<string, number>();
  readonly #budget = new CpuBudget();
  readonly #limits: CheckLimits;
  #closed = false;

  constructor(limits: CheckLimits = standardLimits) {
    this.#limits = limits;
  }

  /**
   * @throws CarnetError `RATE_LIMITED` where the caller has too many waiting or has used its processor time;
   *   `TEMPORARILY_UNAVAILABLE` where all callers together have too many waiting, this one has waited too long, or the machine had
   *   too little time for it
   */
  async run(job: PoolJob): Promise<SchemaFault[]> {
    const { faults } = await this.#do(job);
    return faults;
  }

  async #do(job: PoolJob): Promise<Done> {
    if (this.#closed) throw stopping();
    const seconds = this.#budget.secondsToWait(job.caller, this.#limits.budgetMs);
    if (seconds > 0) throw overBudget(this.#limits.budgetMs, seconds);
    return new Promise((resolve, reject) => {
      const { caller } = job;
      const pair = pairOf(caller, job.schemaHash);
      this.#admit({ job, caller, pair, timer: undefined, beside: false, resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * Does the jobs of one request one after the other, so that other callers have their turn between two. Together they have the processor
   * time of one job, and the last one that begins within it may take its own time beyond. They are slow together: many of 20 ms hold a
   * thread as one of a second does.
   * @throws as `run`
   */
  async runInTurns(jobs: readonly PoolJob[]): Promise<SchemaFault[]> {
    const found: SchemaFault[] = [];
    let cpuMs = 0;
    for (const job of jobs) {
      if (cpuMs >= this.#limits.jobMs) return [tooHeavy(job, true)];
      const done = await this.#do(job);
      if (done.stopped) return done.faults;
      found.push(...done.faults);
      cpuMs += done.cpuMs;
      if (cpuMs > SLOW_MS) this.#becomesSlow(pairOf(job.caller, job.schemaHash));
    }
    return found;
  }

  /** Whether the caller's last check against the schema took next to nothing. */
  isLight(schemaHash: string, caller: string): boolean {
    return this.#costs.get(pairOf(caller, schemaHash)) === 'light';
  }

  async close(): Promise<void> {
    this.#closed = true;
    const threads = [this.#first.thread, this.#second.thread].filter((thread) => thread !== undefined);
    this.#rejectAll(
      stopping,
      threads.flatMap(({ jobs }) => jobs),
    );
    await Promise.all(threads.map((thread) => thread.end()));
  }

  #isSlow({ pair }: Pending): boolean {
    return this.#costs.get(pair) === 'slow';
  }

  #queueOf(pending: Pending): Turns<Pending> {
    return this.#isSlow(pending) ? this.#slow : this.#ordinary;
  }

  #admit(pending: Pending): void {
    const queue = this.#queueOf(pending);
    const [ofCaller, ofAll] =
      queue === this.#slow ? [MAX_SLOW_WAITING_OF_CALLER, MAX_SLOW_WAITING] : [MAX_WAITING_OF_CALLER, MAX_WAITING];
    if (queue.waitingOf(pending.caller) >= ofCaller) pending.reject(tooManyWaiting(ofCaller));
    else if (queue.size >= ofAll)
      pending.reject(unavailable('Too many values wait to be checked against their schemas.'));
    else {
      this.#startWaiting(pending);
      queue.push(pending);
    }
  }

  #startWaiting(pending: Pending): void {
    pending.timer = setTimeout(() => {
      this.#ordinary.remove(pending);
      this.#slow.remove(pending);
      pending.reject(unavailable('The check of a value against its schema could not begin in time.'));
    }, this.#limits.waitMs);
  }

  /** Assigns waiting jobs to threads, and starts a thread where one is missing. */
  #dispatch(): void {
    if (this.#slow.size > 0) {
      if (this.#second.thread?.isIdle) this.#assignNext(this.#second, this.#slow, () => true);
      this.#start(this.#second);
    }
    for (let slot = this.#leastBusy(); slot; slot = this.#leastBusy())
      if (!this.#assignNext(slot, this.#ordinary, (pending) => this.#mayGo(pending))) break;
    if (!this.#first.thread?.isIdle) this.#start(this.#first.thread?.isReady ? this.#second : this.#first);
  }

  #mayGo({ pair, caller }: Pending): boolean {
    return this.#costs.get(pair) === 'light' || !this.#inThreads.has(caller);
  }

  /** The slot where an ordinary job begins soonest; it is never placed beside a slow one, nor before those that wait. */
  #leastBusy(): Slot | undefined {
    const forSlow = this.#slow.size > 0 || this.#second.thread?.jobs.some(({ beside }) => !beside);
    const first = this.#first.thread?.hasRoom ? this.#first : undefined;
    const second = this.#second.thread?.hasRoom && !forSlow ? this.#second : undefined;
    if (!first || !second) return first ?? second;
    return (second.thread?.jobs.length ?? 0) < (first.thread?.jobs.length ?? 0) ? second : first;
  }

  #assignNext(slot: Slot, queue: Turns<Pending>, mayGo: (pending: Pending) => boolean): boolean {
    const pending = queue.take(mayGo);
    if (pending === undefined) return false;
    clearTimeout(pending.timer);
    pending.beside = queue === this.#ordinary;
    if (pending.beside) this.#inThreads.set(pending.caller, (this.#inThreads.get(pending.caller) ?? 0) + 1);
    this.#assign(slot, pending);
    return true;
  }

  #leaveThread(pending: Pending): void {
    if (!pending.beside) return;
    pending.beside = false;
    const left = (this.#inThreads.get(pending.caller) ?? 0) - 1;
    if (left > 0) this.#inThreads.set(pending.caller, left);
    else this.#inThreads.delete(pending.caller);
  }

  #assign(slot: Slot, pending: Pending): void {
    const { caller: _caller, ...job } = pending.job;
    const known = job.valueText !== undefined && slot.known.has(job.schemaHash);
    if (slot.known.size >= MAX_KNOWN) slot.known.clear();
    if (job.valueText !== undefined) slot.known.add(job.schemaHash);
    slot.thread?.assign(pending, known ? { ...job, schemaText: undefined } : job);
  }

  #start(slot: Slot): void {
    if (this.#closed || slot.thread) return;
    slot.known.clear();
    slot.thread = new Thread(
      {
        ready: () => this.#dispatch(),
        answered: (pending, answer, cpuMs) => this.#answered(slot, pending, { answer, cpuMs }),
        died: (death) => this.#died(slot, death),
      },
      {
        module: new URL('./worker.ts', import.meta.url),
        resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
        limits: this.#limits,
      },
    );
  }

  #answered(slot: Slot, pending: Pending, { answer, cpuMs }: { answer: Answer; cpuMs: number }): void {
    if (answer === 'missing') {
      slot.known.delete(pending.job.schemaHash);
      this.#assign(slot, pending);
    } else {
      this.#learn(pending, cpuMs);
      pending.resolve({ faults: answer, cpuMs, stopped: false });
    }
    this.#dispatch();
  }

  /** A job is out of its thread: its cost is the caller's, and says how the next one is run. */
  #learn(pending: Pending, cpuMs: number): void {
    const { pair, caller, job } = pending;
    const wasSlow = this.#isSlow(pending);
    this.#leaveThread(pending);
    this.#budget.use(caller, cpuMs, this.#limits.budgetMs);
    if (cpuMs > SLOW_MS) this.#becomesSlow(pair);
    else if (job.schemaHash === NEVER_SEEN) return;
    else if (cpuMs < LIGHT_MS && !wasSlow) this.#costs.set(pair, 'light');
    else this.#costs.delete(pair);
  }

  #becomesSlow(pair: string): void {
    this.#costs.set(pair, 'slow', { ttl: SLOW_FOR_MS });
    for (const waiting of this.#ordinary.removeAll((other) => other.pair === pair)) this.#slow.push(waiting);
  }

  #died(slot: Slot, { ending, culprit, cpuMs, others, cause }: Death<Pending>): void {
    slot.thread = undefined;
    if (ending === 'never ready') {
      const noThread = !this.#first.thread?.isReady && !this.#second.thread?.isReady;
      if (noThread) this.#rejectAll(() => unavailable('The checker of schemas does not start.', cause));
      return;
    }
    for (const pending of others.toReversed()) {
      this.#leaveThread(pending);
      this.#startWaiting(pending);
      this.#queueOf(pending).putBack(pending);
    }
    if (culprit) {
      // Its thread has to be made anew, which costs a third of a second on top.
      const costMs = Math.max(cpuMs, this.#limits.jobMs);
      this.#learn(culprit, costMs);
      if (ending === 'starved')
        culprit.reject(unavailable('The machine had too little time to check a value against its schema.'));
      else culprit.resolve({ faults: [tooHeavy(culprit.job, ending === 'too slow')], cpuMs: costMs, stopped: true });
    }
    this.#start(slot);
    this.#dispatch();
  }

  #rejectAll(error: () => CarnetError, assigned: readonly Pending[] = []): void {
    for (const { timer, reject } of [...assigned, ...this.#slow.removeAll(), ...this.#ordinary.removeAll()]) {
      clearTimeout(timer);
      reject(error());
    }
  }
}

function tooHeavy({ root, valueText, ofPattern }: PoolJob, slow: boolean): SchemaFault {
  const limit = slow ? 'took more than one second of processor time' : 'needed too much memory';
  if (ofPattern === true)
    return fault(
      root,
      'pattern_too_heavy',
      `Compiling the patterns of this request ${limit}; send fewer or simpler ones`,
    );
  return valueText === undefined
    ? fault(root, 'schema_too_heavy', `Compiling the schema ${limit}; make it smaller or simpler`)
    : fault(
        root,
        'check_too_heavy',
        `The check against the schema ${limit} and was stopped; send a smaller value, or request a simpler schema`,
      );
}

const unavailable = (why: string, cause?: unknown): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', `${why} Try again in a moment.`, {
    headers: { 'Retry-After': '1' },
    cause,
  });
const stopping = (): CarnetError => unavailable('The service is stopping.');

const tooManyWaiting = (bound: number): CarnetError =>
  new CarnetError(
    'RATE_LIMITED',
    `${bound} values of yours wait to be checked against their schemas; go on when some are done.`,
    { headers: { 'Retry-After': '1' } },
  );

const overBudget = (budgetMs: number, seconds: number): CarnetError =>
  new CarnetError(
    'RATE_LIMITED',
    `Checking your values against their schemas has used the ${budgetMs / 1_000} seconds of processor time that you have in a minute; go on in ${seconds} seconds.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
