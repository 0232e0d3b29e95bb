import { CarnetError } from '../errors/carnet-error.ts';
import { fault, type SchemaFault } from './faults.ts';
import type { Answer, Job } from './messages.ts';
import { Thread, type Death, type Ending } from './thread.ts';

/**
 * Jobs that wait for a thread. An ordinary one takes well under a millisecond, so these are a second's work at most.
 */
const WAITING = 1_000;
const SUSPECTS_WAITING = 16;
/** Schemas remembered for having been stopped once. */
const SUSPECTS = 1_000;
/** Schemas whose text a thread is thought to have; a thread that has forgotten one says so. */
const KNOWN = 1_000;

/** How long what cannot be known beforehand may take. */
export interface CheckLimits {
  /** Issue part 5: one second a job, compiling included. */
  jobMs: number;
  /** In the queue; only hostile schemas make anybody wait five seconds. */
  waitMs: number;
}

export const standardLimits: CheckLimits = { jobMs: 1_000, waitMs: 5_000 };

export type PoolJob = Job & { schemaText: string };

interface Pending {
  job: PoolJob;
  since: number;
  resolve(faults: SchemaFault[]): void;
  reject(error: CarnetError): void;
}

/** A place for a thread, and the hashes whose text that thread has had. */
interface Seat {
  thread: Thread<Pending> | undefined;
  known: Set<string>;
}

/**
 * Shares jobs between two worker threads (architecture, rule 15), which start when there is work and never keep the
 * process
 * alive. A schema that had to be stopped once is a suspect: from then on it runs in the second thread only, and with
 * nothing
 * behind it, so that one publisher's slow schema cannot take both threads from everybody.
 */
export class Pool {
  readonly #first: Seat = { thread: undefined, known: new Set() };
  readonly #second: Seat = { thread: undefined, known: new Set() };
  readonly #calm: Pending[] = [];
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
      this.#enqueue({ job, since: performance.now(), resolve, reject });
      this.#share();
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
    const queue = suspected ? this.#suspected : this.#calm;
    if (queue.length < (suspected ? SUSPECTS_WAITING : WAITING)) queue.push(pending);
    else pending.reject(unavailable('Too many values wait to be checked against their schemas.'));
  }

  /** Gives out what can be given, and starts the thread that is missed. */
  #share(): void {
    if (this.#suspected.length > 0) {
      if (this.#second.thread?.isIdle) this.#giveNext(this.#second, this.#suspected);
      this.#start(this.#second);
    }
    for (let seat = this.#freest(); seat && this.#calm.length > 0; seat = this.#freest())
      this.#giveNext(seat, this.#calm);
    if (!this.#first.thread?.isIdle) this.#start(this.#first.thread?.isReady ? this.#second : this.#first);
  }

  /** The seat where a calm job is begun soonest; none beside a suspect. */
  #freest(): Seat | undefined {
    const suspicious = this.#second.thread?.jobs.some(({ job }) => this.#suspects.has(job.schemaHash));
    const first = this.#first.thread?.hasRoom ? this.#first : undefined;
    const second = this.#second.thread?.hasRoom && !suspicious ? this.#second : undefined;
    if (!first || !second) return first ?? second;
    return (second.thread?.jobs.length ?? 0) < (first.thread?.jobs.length ?? 0) ? second : first;
  }

  #giveNext(seat: Seat, queue: Pending[]): void {
    const pending = queue.shift();
    if (!pending) return;
    if (performance.now() - pending.since < this.#limits.waitMs) this.#give(seat, pending);
    else pending.reject(unavailable('The check of a value against its schema could not begin in time.'));
  }

  #give(seat: Seat, pending: Pending): void {
    const { job } = pending;
    const known = job.valueText !== undefined && seat.known.has(job.schemaHash);
    if (seat.known.size >= KNOWN) seat.known.clear();
    if (job.valueText !== undefined) seat.known.add(job.schemaHash);
    seat.thread?.give(pending, known ? { ...job, schemaText: undefined } : job);
  }

  #start(seat: Seat): void {
    if (this.#closed || seat.thread) return;
    seat.known.clear();
    seat.thread = new Thread<Pending>(
      {
        ready: () => this.#share(),
        answered: (pending, answer) => this.#answered(seat, pending, answer),
        died: (death) => this.#died(seat, death),
      },
      () => this.#limits.jobMs,
    );
  }

  #answered(seat: Seat, pending: Pending, answer: Answer): void {
    if (answer === 'missing') {
      seat.known.delete(pending.job.schemaHash);
      this.#give(seat, pending);
    } else if (answer !== 'ready') pending.resolve(answer);
    this.#share();
  }

  #died(seat: Seat, { ending, culprit, others, cause }: Death<Pending>): void {
    seat.thread = undefined;
    if (ending === 'never ready') {
      const nobody = !this.#first.thread?.isReady && !this.#second.thread?.isReady;
      if (nobody) this.#rejectAll(() => unavailable('The checker of schemas does not start.', cause));
      return;
    }
    if (culprit) this.#suspect(culprit, ending);
    // Those behind the culprit come first again, each in the queue that its schema now belongs to.
    for (const pending of [...others, ...this.#calm.splice(0)]) this.#enqueue(pending);
    this.#start(seat);
    this.#share();
  }

  #suspect({ job, resolve }: Pending, ending: Ending): void {
    this.#suspects.add(job.schemaHash);
    for (const oldest of this.#suspects) {
      if (this.#suspects.size <= SUSPECTS) break;
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

  #rejectAll(error: () => CarnetError, inHand: readonly Pending[] = []): void {
    for (const { reject } of [...inHand, ...this.#suspected.splice(0), ...this.#calm.splice(0)]) reject(error());
  }
}

const unavailable = (why: string, cause?: unknown): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', `${why} Try again in a moment.`, {
    headers: { 'Retry-After': '1' },
    cause,
  });
const stopping = (): CarnetError => unavailable('The service is stopping.');
