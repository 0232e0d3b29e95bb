import { LRUCache } from 'lru-cache';
import { CarnetError } from '../errors/carnet-error.ts';
import { fault, type SchemaFault } from './faults.ts';
import type { Answer, Job } from './messages.ts';
import { ThreadPool, type PoolLimits, type Pooled } from '../threads/pool.ts';
import type { Death, Done, Thread } from '../threads/thread.ts';
import { assertTimeLeft, type Quota } from '../turns/quota.ts';
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

/**
 * By the clock a job has five times its processor time: a machine with five times too much to do, or a job for which V8 collects garbage all
 * the time, in threads of its own whose time is nobody's. Only slow schemas ever make others wait five seconds.
 */
export const standardLimits: PoolLimits = { jobMs: 1_000, clockMs: 5_000, waitMs: 5_000 };

type CheckThread = Thread<Pending, Job, Answer>;

type PoolJob = Job & { schemaText: string; caller: string };

/** A job that is over; `stopped`: it was ended, and `faults` says why. */
interface Checked {
  faults: SchemaFault[];
  /** Processor time that it took, milliseconds. */
  cpuMs: number;
  stopped: boolean;
}

interface Pending extends Pooled {
  job: PoolJob;
  /** Names caller and schema together. */
  pair: string;
  /** It is in a thread beside others; once there. */
  beside: boolean;
  /** Its thread has dropped the schema, though its text was sent once. */
  isTextMissing: boolean;
  resolve(checked: Checked): void;
}

/** Stands for the hash of a schema or pattern that is checked before it is kept. What it took says nothing good about the next one. */
export const NEVER_SEEN = 'never seen';

const pairOf = (caller: string, schemaHash: string): string => `${caller} ${schemaHash}`;

/**
 * Runs jobs in two worker threads (rule 15), since a compiled validator cannot leave its thread. Callers are operators, and nobody stops another:
 * - They take turns, however much one of them has waiting. Until it is known that a caller's checks against a schema are light, one of
 *   them is in a thread at a time.
 * - A check that was slow, or had to be stopped, runs in the second thread only, and alone, while the first is kept for the rest. That is said of
 *   a schema with one caller and never of the schema: what one caller sends makes nobody else's checks wait. Texts that are checked before
 *   they are kept are one schema for that, since each is another: a slow one makes the next ones of the caller run alone for a minute.
 * - Each caller has a quota of processor time, which heavy reads take as well. It is measured in the thread, so a busy machine makes nobody slow.
 */
export class Pool {
  readonly #ordinary = new Turns<Pending>();
  readonly #slow = new Turns<Pending>();
  /** By pair; a pair that is not there is tried with one job. */
  readonly #costs = new LRUCache<string, 'light' | 'slow'>({ max: MAX_PAIRS });
  /** The hashes of the schemas whose text was sent to a thread. */
  readonly #known = new WeakMap<CheckThread, Set<string>>();
  /** Milliseconds. */
  readonly #time: Quota;
  readonly #limits: PoolLimits;
  readonly #threads: ThreadPool<Pending, Job, Answer>;

  constructor(time: Quota, limits: PoolLimits) {
    this.#time = time;
    this.#limits = limits;
    this.#threads = new ThreadPool(
      {
        module: new URL('./worker.ts', import.meta.url),
        resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
        limits,
      },
      {
        queues: [this.#slow, this.#ordinary],
        queueOf: ({ pair }) => (this.#isSlow(pair) ? this.#slow : this.#ordinary),
        next: (thread, isSecond) => this.#next(thread, isSecond),
        jobFor: (pending, thread) => this.#jobFor(pending, thread),
        answered: (pending, done) => this.#answered(pending, done),
        stopped: (pending, death) => this.#stopped(pending, death),
        refusal: (why, cause) => unavailable(refusals[why], cause),
      },
    );
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

  async #do(job: PoolJob): Promise<Checked> {
    const { caller } = job;
    assertTimeLeft(this.#time, caller);
    const pair = pairOf(caller, job.schemaHash);
    this.#assertRoom(caller, pair);
    return new Promise((resolve, reject) => {
      this.#threads.add({ job, caller, pair, beside: false, isTextMissing: false, resolve, reject });
    });
  }

  /**
   * Does the jobs of one request one after the other, so that other callers have their turn between two. Together they have the processor
   * time of one job, and the last one that begins within it may take its own time beyond. They are slow together: many of 20 ms hold a
   * thread as one of a second does. Two operators that sent 32 of 20 ms again and again delayed a third one's light check by up to 1.0 s, by 832 ms
   * at the 90th percentile; like this by 217 ms at most, and 0.6 ms. One pattern is not divided: the most expensive one still caused 815 ms once,
   * on two busy cores.
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
    await this.#threads.close();
  }

  #isSlow(pair: string): boolean {
    return this.#costs.get(pair) === 'slow';
  }

  #assertRoom(caller: string, pair: string): void {
    const [queue, ofCaller, ofAll] = this.#isSlow(pair)
      ? [this.#slow, MAX_SLOW_WAITING_OF_CALLER, MAX_SLOW_WAITING]
      : [this.#ordinary, MAX_WAITING_OF_CALLER, MAX_WAITING];
    if (queue.waitingOf(caller) >= ofCaller) throw tooManyWaiting(ofCaller);
    if (queue.size >= ofAll) throw unavailable('Too many values wait to be checked against their schemas.');
  }

  /** An ordinary job is never placed beside a slow one, nor before those that wait. */
  #next(thread: CheckThread, isSecond: boolean): Pending | undefined {
    const forSlow = isSecond && this.#slow.size > 0;
    if (!(forSlow ? thread.isIdle : thread.hasRoom) || thread.jobs.some(({ beside }) => !beside)) return undefined;
    const pending = forSlow ? this.#slow.take(() => true) : this.#ordinary.take((waiting) => this.#mayGo(waiting));
    if (pending) pending.beside = !forSlow;
    return pending;
  }

  #mayGo({ pair, caller }: Pending): boolean {
    if (this.#costs.get(pair) === 'light') return true;
    return !this.#threads.assigned.some((other) => other.beside && other.caller === caller);
  }

  #jobFor({ job: { caller: _caller, ...job }, isTextMissing }: Pending, thread: CheckThread): Job {
    if (job.valueText === undefined) return job;
    const known = this.#known.get(thread) ?? new Set();
    this.#known.set(thread, known);
    if (known.has(job.schemaHash) && !isTextMissing) return { ...job, schemaText: undefined };
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(job.schemaHash);
    return job;
  }

  #answered(pending: Pending, { answer, cpuMs }: Done<Answer>): boolean {
    if (answer === 'missing') {
      pending.isTextMissing = true;
      return false;
    }
    this.#learn(pending, cpuMs);
    pending.resolve({ faults: answer, cpuMs, stopped: false });
    return true;
  }

  /** A job is out of its thread: its cost is the caller's, and says how the next one is run. */
  #learn({ pair, caller, job }: Pending, cpuMs: number): void {
    const wasSlow = this.#isSlow(pair);
    this.#time.use(caller, cpuMs);
    if (cpuMs > SLOW_MS) this.#becomesSlow(pair);
    else if (job.schemaHash === NEVER_SEEN) return;
    else if (cpuMs < LIGHT_MS && !wasSlow) this.#costs.set(pair, 'light');
    else this.#costs.delete(pair);
  }

  #becomesSlow(pair: string): void {
    this.#costs.set(pair, 'slow', { ttl: SLOW_FOR_MS });
    for (const waiting of this.#ordinary.removeAll((other) => other.pair === pair)) this.#slow.push(waiting);
  }

  #stopped(pending: Pending, { ending, cpuMs }: Death<Pending>): void {
    // A new thread has to replace it, which costs a third of a second on top.
    const costMs = Math.max(cpuMs, this.#limits.jobMs);
    this.#learn(pending, costMs);
    if (ending === 'starved')
      pending.reject(unavailable('The machine had too little time to check a value against its schema.'));
    else pending.resolve({ faults: [tooHeavy(pending.job, ending === 'too slow')], cpuMs: costMs, stopped: true });
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

const refusals = {
  'begins too late': 'The check of a value against its schema could not begin in time.',
  'does not start': 'The checker of schemas does not start.',
  stopping: 'The service is stopping.',
};

const tooManyWaiting = (bound: number): CarnetError =>
  new CarnetError(
    'RATE_LIMITED',
    `${bound} values of yours wait to be checked against their schemas; go on when some are done.`,
    { headers: { 'Retry-After': '1' } },
  );
