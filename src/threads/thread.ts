import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { Answered } from './serve.ts';

/** A worker is ready in 0.3 to 0.6 s of a processor; on a machine under forty times its load that took 27 s. Who waits for it gives up earlier. */
const MAX_START_MS = 60_000;
/** Jobs that a worker has, so that it need not wait for the event loop between two; few, since those behind a slow one wait for it. */
const MAX_ASSIGNED = 2;
/** Between two readings of a worker's processor time, at least. */
const LOOK_MS = 10;

/** `too slow`: by processor time. `starved`: the job had little of it for a long time, which says nothing about the job. */
export type Ending = 'too slow' | 'starved' | 'crashed';

export interface Death<Item> {
  ending: Ending;
  /** Otherwise it never began a job. */
  wasReady: boolean;
  /** The job that was running. */
  culprit: Item | undefined;
  /** Processor time that the culprit is known to have used. */
  cpuMs: number;
  /** Assigned jobs that had not begun. */
  others: Item[];
  cause: unknown;
}

/** How long a job may last, in milliseconds. */
export interface JobLimits {
  /** Processor time of its thread, compiling included. */
  jobMs: number;
  /** By the clock. */
  clockMs: number;
}

/** `cpuMs`: the processor time that it took, in milliseconds. */
export interface Done<Answer> {
  answer: Answer;
  cpuMs: number;
}

interface Events<Item, Answer> {
  ready(): void;
  answered(item: Item, done: Done<Answer>): void;
  /** The thread is gone. */
  died(death: Death<Item>): void;
}

export interface Settings {
  /** The module of the worker, which calls `serve`. */
  module: URL;
  resourceLimits: ResourceLimits;
  /** May be changed later: a job has those of the moment it begins. */
  limits: JobLimits;
}

/** The cache of compiled modules, where the process has one: a thread starts in half of the processor time. */
function compiled(): Record<string, string> {
  const ofVersion = getCompileCacheDir();
  return ofVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofVersion) };
}

/** One worker thread and the jobs assigned to it, which it answers in their order. */
export class Thread<Item, Job, Answer> {
  readonly #worker: Worker;
  readonly #events: Events<Item, Answer>;
  #assigned: Item[] = [];
  #ready = false;
  #over = false;
  #answers = 0;
  #timer: NodeJS.Timeout;
  #starved: NodeJS.Timeout | undefined;
  /** Processor time of the thread when the job that runs began, microseconds. */
  #cpuBefore = 0;
  /** Processor time of the job that runs, as it was read last, milliseconds. */
  #cpuMs = 0;
  readonly #limits: JobLimits;

  constructor(events: Events<Item, Answer>, { module, resourceLimits, limits }: Settings) {
    this.#events = events;
    this.#limits = limits;
    this.#worker = new Worker(module, {
      // No environment that what strangers sent could read, and no flag of the main thread that a worker does not accept.
      env: compiled(),
      argv: [],
      execArgv: [],
      resourceLimits,
    });
    this.#worker.on('message', (message: Answered<Answer>) => this.#receive(message));
    this.#worker.on('error', (error) => this.#die('crashed', error));
    this.#worker.on('exit', () => this.#die('crashed'));
    // Only the timer keeps the process alive, while a job runs. This stands last because adding a listener refs again.
    this.#worker.unref();
    this.#timer = setTimeout(() => this.#die('too slow'), MAX_START_MS);
  }

  get jobs(): readonly Item[] {
    return this.#assigned;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  get isIdle(): boolean {
    return this.#ready && this.#assigned.length === 0;
  }

  get hasRoom(): boolean {
    return this.#ready && this.#assigned.length < MAX_ASSIGNED;
  }

  /** Sends `job` to the worker; `answered` and `died` name it by `item`. */
  assign(item: Item, job: Job): void {
    this.#assigned.push(item);
    if (this.#assigned.length === 1) this.#startTimer();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; the rule means windows
    this.#worker.postMessage(job);
  }

  /** Ends the thread immediately; `died` is not called. */
  async end(): Promise<void> {
    this.#over = true;
    this.#stopTimers();
    await this.#worker.terminate();
  }

  #receive(message: Answered<Answer>): void {
    if (this.#over) return;
    this.#stopTimers();
    const cpuMs = (message.cpu - this.#cpuBefore) / 1_000;
    this.#cpuBefore = message.cpu;
    if (!('answer' in message)) {
      this.#ready = true;
      this.#events.ready();
      return;
    }
    this.#answers += 1;
    const item = this.#assigned.shift();
    if (this.#assigned.length > 0) this.#startTimer();
    if (item) this.#events.answered(item, { answer: message.answer, cpuMs });
  }

  /** Watches the first assigned job, which has begun. */
  #startTimer(): void {
    const answers = this.#answers;
    const { jobMs: limit, clockMs } = this.#limits;
    const runsStill = (): boolean => !this.#over && this.#answers === answers;
    this.#cpuMs = 0;
    const look = async (): Promise<void> => {
      // If this event loop itself was blocked, the answer is queued behind the timer: let it be read first.
      await setImmediate();
      const { user, system } = runsStill() ? await this.#worker.cpuUsage() : { user: 0, system: 0 };
      if (!runsStill()) return;
      this.#cpuMs = (user + system - this.#cpuBefore) / 1_000;
      if (this.#cpuMs >= limit) this.#die('too slow');
      else this.#timer = setTimeout(start, Math.max(LOOK_MS, limit - this.#cpuMs));
    };
    // A worker that has just ended has no processor time to read; its end is an event of its own.
    const start = (): void => void look().catch(() => {});
    this.#timer = setTimeout(start, limit);
    this.#starved = setTimeout(() => this.#die('starved'), clockMs);
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#starved);
  }

  #die(ending: Ending, cause?: unknown): void {
    if (this.#over) return;
    void this.end();
    const [culprit, ...others] = this.#assigned;
    this.#assigned = [];
    this.#events.died({ ending, wasReady: this.#ready, culprit, cpuMs: this.#cpuMs, others, cause });
  }
}
