import { CarnetError } from '../errors/carnet-error.ts';
import { fault, type SchemaFault } from './faults.ts';
import type { Answer, Job } from './messages.ts';
import { Thread, type Death, type Ending } from './thread.ts';

/** Jobs that may wait for a thread: an ordinary job takes well under a millisecond, so they take a second at most. */
const MAX_WAITING = 1_000;
const MAX_SUSPECTS_WAITING = 16;
/** Schemas remembered because they had to be stopped once. */
const MAX_SUSPECTS = 1_000;
/** Schemas whose text is assumed to be in a thread's cache; a thread without it answers `missing`. */
const MAX_KNOWN = 1_000;

export interface CheckLimits {
  /** For one job, compiling included, in milliseconds. */
  jobMs: number;
  /** For waiting for a thread, in milliseconds; only hostile schemas ever make others wait five seconds. */
  waitMs: number;
}

export const standardLimits: CheckLimits = { jobMs: 1_000, waitMs: 5_000 };

export type PoolJob = Job & { schemaText: string };

interface Pending {
  job: PoolJob;
  /** Ends the wait for a thread; runs from the call until the job is assigned to one. */
  timer: NodeJS.Timeout;
  resolve(faults: SchemaFault[]): void;
  reject(error: CarnetError): void;
}

/** A place for a thread, and the hashes of the schemas whose text was sent to that thread. */
interface Slot {
  thread: Thread<Pending> | undefined;
  known: Set<string>;
}

/**
 * Shares jobs between two worker threads (rule 15), which start when there is work and never keep the process alive. A
 * schema that had to be stopped once is a suspect: from then on it runs in the second thread only, and alone, so that
 * one publisher's slow schema cannot occupy both threads.
 */
export class Pool {
  readonly #first: Slot = { thread: undefined, known: new Set() };
  readonly #second: Slot = { thread: undefined, known: new Set() };
  readonly #ordinary: Pending[] = [];
  readonly #suspected: Pending[] = [];
  readonly #suspects = new Set<string>();
  readonly #limits: CheckLimits;
  #closed = false;

  constructor(limits: CheckLimits = standardLimits) {
    this.#limits = limits;
  }

  /** @throws CarnetError `TEMPORARILY_UNAVAILABLE` where too many wait, or this one has waited too long */
  async run(job: PoolJob): Promise<SchemaFault[]> {
    if (this.#closed) throw stopping();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(pending), this.#limits.waitMs);
      const pending: Pending = { job, timer, resolve, reject };
      this.#enqueue(pending);
      this.#dispatch();
    });
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

  #enqueue(pending: Pending): void {
    const suspected = this.#suspects.has(pending.job.schemaHash);
    const queue = suspected ? this.#suspected : this.#ordinary;
    if (queue.length < (suspected ? MAX_SUSPECTS_WAITING : MAX_WAITING)) queue.push(pending);
    else this.#reject(pending, unavailable('Too many values wait to be checked against their schemas.'));
  }

  /** The time for waiting is over: whatever the threads do, nobody waits longer. */
  #giveUp(pending: Pending): void {
    for (const queue of [this.#ordinary, this.#suspected]) {
      const at = queue.indexOf(pending);
      if (at >= 0) queue.splice(at, 1);
    }
    this.#reject(pending, unavailable('The check of a value against its schema could not begin in time.'));
  }

  #reject({ timer, reject }: Pending, error: CarnetError): void {
    clearTimeout(timer);
    reject(error);
  }

  /** Assigns waiting jobs to threads, and starts a thread where one is missing. */
  #dispatch(): void {
    if (this.#suspected.length > 0) {
      if (this.#second.thread?.isIdle) this.#assignNext(this.#second, this.#suspected);
      this.#start(this.#second);
    }
    for (let slot = this.#leastBusy(); slot && this.#ordinary.length > 0; slot = this.#leastBusy())
      this.#assignNext(slot, this.#ordinary);
    if (!this.#first.thread?.isIdle) this.#start(this.#first.thread?.isReady ? this.#second : this.#first);
  }

  /** The slot where an ordinary job begins soonest; it is never placed beside a suspect. */
  #leastBusy(): Slot | undefined {
    const runsSuspect = this.#second.thread?.jobs.some(({ job }) => this.#suspects.has(job.schemaHash));
    const first = this.#first.thread?.hasRoom ? this.#first : undefined;
    const second = this.#second.thread?.hasRoom && !runsSuspect ? this.#second : undefined;
    if (!first || !second) return first ?? second;
    return (second.thread?.jobs.length ?? 0) < (first.thread?.jobs.length ?? 0) ? second : first;
  }

  #assignNext(slot: Slot, queue: Pending[]): void {
    const pending = queue.shift();
    if (pending) this.#assign(slot, pending);
  }

  #assign(slot: Slot, pending: Pending): void {
    const { job, timer } = pending;
    clearTimeout(timer);
    const known = job.valueText !== undefined && slot.known.has(job.schemaHash);
    if (slot.known.size >= MAX_KNOWN) slot.known.clear();
    if (job.valueText !== undefined) slot.known.add(job.schemaHash);
    slot.thread?.assign(pending, known ? { ...job, schemaText: undefined } : job);
  }

  #start(slot: Slot): void {
    if (this.#closed || slot.thread) return;
    slot.known.clear();
    slot.thread = new Thread<Pending>(
      {
        ready: () => this.#dispatch(),
        answered: (pending, answer) => this.#answered(slot, pending, answer),
        died: (death) => this.#died(slot, death),
      },
      () => this.#limits.jobMs,
    );
  }

  #answered(slot: Slot, pending: Pending, answer: Answer): void {
    if (answer === 'missing') {
      slot.known.delete(pending.job.schemaHash);
      this.#assign(slot, pending);
    } else if (answer !== 'ready') pending.resolve(answer);
    this.#dispatch();
  }

  #died(slot: Slot, { ending, culprit, others, cause }: Death<Pending>): void {
    slot.thread = undefined;
    if (ending === 'never ready') {
      const noThread = !this.#first.thread?.isReady && !this.#second.thread?.isReady;
      if (noThread) this.#rejectAll(() => unavailable('The checker of schemas does not start.', cause));
      return;
    }
    if (culprit) this.#suspect(culprit, ending);
    // The jobs behind the culprit are queued first, each in the queue that its schema belongs to now.
    for (const pending of others) pending.timer = setTimeout(() => this.#giveUp(pending), this.#limits.waitMs);
    for (const pending of [...others, ...this.#ordinary.splice(0)]) this.#enqueue(pending);
    this.#start(slot);
    this.#dispatch();
  }

  #suspect({ job, resolve }: Pending, ending: Ending): void {
    this.#suspects.add(job.schemaHash);
    for (const oldest of this.#suspects) {
      if (this.#suspects.size <= MAX_SUSPECTS) break;
      this.#suspects.delete(oldest);
    }
    const limit = ending === 'too slow' ? 'took more than one second' : 'needed too much memory';
    resolve([
      job.valueText === undefined
        ? fault(job.root, 'schema_too_heavy', `Compiling the schema ${limit}; make it smaller or simpler`)
        : fault(
            job.root,
            'check_too_heavy',
            `The check against the schema ${limit} and was stopped; send a smaller value or ask for a simpler schema`,
          ),
    ]);
  }

  #rejectAll(error: () => CarnetError, assigned: readonly Pending[] = []): void {
    const waiting = [...this.#suspected.splice(0), ...this.#ordinary.splice(0)];
    for (const pending of [...assigned, ...waiting]) this.#reject(pending, error());
  }
}

const unavailable = (why: string, cause?: unknown): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', `${why} Try again in a moment.`, {
    headers: { 'Retry-After': '1' },
    cause,
  });
const stopping = (): CarnetError => unavailable('The service is stopping.');
