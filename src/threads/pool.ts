import type { Turns } from '../turns/turns.ts';
import { Thread, type Death, type Done, type JobLimits, type Settings } from './thread.ts';

export interface PoolLimits extends JobLimits {
  /** For waiting for a thread, in milliseconds. */
  waitMs: number;
}

export interface PoolSettings extends Settings {
  limits: PoolLimits;
}

/** A job that waits for a thread or is in one; callers take turns. */
export interface Pooled {
  caller: string;
  reject(error: Error): void;
}

/** The rules of one pool. `Item` is what it knows of a job, `Job` what is sent to the thread. */
export interface PoolRules<Item extends Pooled, Job, Answer> {
  queues: readonly Turns<Item>[];
  queueOf(item: Item): Turns<Item>;
  /** Takes out of the queues what the thread does next; undefined: nothing for now. The second thread may be kept for some jobs. */
  next(thread: Thread<Item, Job, Answer>, isSecond: boolean): Item | undefined;
  jobFor(item: Item, thread: Thread<Item, Job, Answer>): Job;
  /** @returns whether the item is done; otherwise its job is sent once more */
  answered(item: Item, done: Done<Answer>): boolean;
  /** The thread is gone with this item, which is to be told. */
  stopped(item: Item, death: Death<Item>): void;
  refusal(why: 'begins too late' | 'does not start' | 'stopping', cause?: unknown): Error;
}

/**
 * Shares jobs between two worker threads, which start when there is work and never keep the process alive: the second once the first is
 * busy. A thread that ended is replaced, and what it had not begun goes on in another.
 */
export class ThreadPool<Item extends Pooled, Job, Answer> {
  readonly #settings: PoolSettings;
  readonly #rules: PoolRules<Item, Job, Answer>;
  /** The first and the second. */
  readonly #threads: (Thread<Item, Job, Answer> | undefined)[] = [];
  /** Each ends the wait for a thread; runs until the job is assigned to one. */
  readonly #timers = new Map<Item, NodeJS.Timeout>();
  #closed = false;

  constructor(settings: PoolSettings, rules: PoolRules<Item, Job, Answer>) {
    this.#settings = settings;
    this.#rules = rules;
  }

  /** The items that threads have, begun or not. */
  get assigned(): readonly Item[] {
    return this.#alive.flatMap(({ jobs }) => jobs);
  }

  get #alive(): Thread<Item, Job, Answer>[] {
    return this.#threads.filter((thread) => thread !== undefined);
  }

  /** The item is rejected where no thread is free for it within `waitMs`, or its thread ends with it. */
  add(item: Item): void {
    if (this.#closed) {
      item.reject(this.#rules.refusal('stopping'));
      return;
    }
    this.#rules.queueOf(item).push(item);
    this.#startWaiting(item);
    this.#dispatch();
  }

  /** Ends the threads; what runs or waits is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const item of this.assigned) item.reject(this.#rules.refusal('stopping'));
    this.#rejectWaiting('stopping');
    await Promise.all(this.#alive.map((thread) => thread.end()));
  }

  #startWaiting(item: Item): void {
    const end = (): void => {
      for (const queue of this.#rules.queues) queue.remove(item);
      this.#stopWaiting(item);
      item.reject(this.#rules.refusal('begins too late'));
    };
    this.#timers.set(item, setTimeout(end, this.#settings.limits.waitMs));
  }

  #stopWaiting(item: Item): void {
    clearTimeout(this.#timers.get(item));
    this.#timers.delete(item);
  }

  #rejectWaiting(why: 'does not start' | 'stopping', cause?: unknown): void {
    for (const item of this.#rules.queues.flatMap((queue) => queue.removeAll())) {
      this.#stopWaiting(item);
      item.reject(this.#rules.refusal(why, cause));
    }
  }

  /** Assigns waiting jobs to threads, each to the one where it begins soonest, and starts a thread where one is missing. */
  #dispatch(): void {
    while (this.#assignNext());
    const [first] = this.#threads;
    if (!first?.isReady) this.#start(0);
    else if (!first.isIdle || this.#timers.size > 0) this.#start(1);
  }

  #assignNext(): boolean {
    const bySoonest = this.#alive.toSorted((one, other) => one.jobs.length - other.jobs.length);
    return bySoonest.some((thread) => {
      const item = thread.isReady ? this.#rules.next(thread, thread === this.#threads[1]) : undefined;
      if (item === undefined) return false;
      this.#stopWaiting(item);
      thread.assign(item, this.#rules.jobFor(item, thread));
      return true;
    });
  }

  #start(place: number): void {
    if (this.#closed || this.#threads[place]) return;
    const thread: Thread<Item, Job, Answer> = new Thread(
      {
        ready: () => this.#dispatch(),
        answered: (item, done) => {
          if (!this.#rules.answered(item, done)) thread.assign(item, this.#rules.jobFor(item, thread));
          this.#dispatch();
        },
        died: (death) => this.#died(place, death),
      },
      this.#settings,
    );
    this.#threads[place] = thread;
  }

  #died(place: number, death: Death<Item>): void {
    this.#threads[place] = undefined;
    if (!death.wasReady) {
      // It is started with the next job: one that never starts would be started for ever.
      if (!this.#alive.some(({ isReady }) => isReady)) this.#rejectWaiting('does not start', death.cause);
      return;
    }
    for (const item of death.others.toReversed()) {
      this.#rules.queueOf(item).putBack(item);
      this.#startWaiting(item);
    }
    if (death.culprit) this.#rules.stopped(death.culprit, death);
    this.#start(place);
    this.#dispatch();
  }
}
