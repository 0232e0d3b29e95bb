import { Worker } from 'node:worker_threads';
import type { Answer, Job } from './messages.ts';

/** A worker is ready in 0.3 s, with its first schemas run; a machine under load needs longer. */
const START_LIMIT_MS = 10_000;
/** Jobs sent to a worker ahead, so that it need not wait for the event loop between two. */
const MAX_ASSIGNED = 4;

export type Ending = 'too slow' | 'crashed' | 'never ready';

export interface Death<Item> {
  ending: Ending;
  /** The job that was running. */
  culprit: Item | undefined;
  /** Assigned jobs that had not begun. */
  others: Item[];
  cause: unknown;
}

interface Events<Item> {
  ready(): void;
  answered(item: Item, answer: Answer): void;
  /** The thread is gone. */
  died(death: Death<Item>): void;
}

/** One worker thread and the jobs assigned to it, which it answers in their order. */
export class Thread<Item> {
  readonly #worker: Worker;
  readonly #events: Events<Item>;
  #assigned: Item[] = [];
  #ready = false;
  #over = false;
  #answers = 0;
  #timer: NodeJS.Timeout;
  readonly #jobLimitMs: () => number;

  /** @param jobLimitMs is called when a job begins */
  constructor(events: Events<Item>, jobLimitMs: () => number) {
    this.#events = events;
    this.#jobLimitMs = jobLimitMs;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      // No environment that a schema could read, and no flag of the main thread that a worker does not accept.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (answer: Answer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.#die('crashed', error));
    this.#worker.on('exit', () => this.#die('crashed'));
    // Only the timer keeps the process alive, while a job runs. This stands last because adding a listener refs again.
    this.#worker.unref();
    this.#timer = setTimeout(() => this.#die('too slow'), START_LIMIT_MS);
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

  /** Ends the thread at once; `died` is not called. */
  async end(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  #receive(answer: Answer): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    if (answer === 'ready') {
      this.#ready = true;
      this.#events.ready();
      return;
    }
    this.#answers += 1;
    const item = this.#assigned.shift();
    if (this.#assigned.length > 0) this.#startTimer();
    if (item) this.#events.answered(item, answer);
  }

  /** Starts the timer of the first assigned job, which has begun. */
  #startTimer(): void {
    const answers = this.#answers;
    this.#timer = setTimeout(() => {
      // If this event loop itself was blocked, the answer is queued behind the timer: let it be read first.
      setImmediate(() => {
        if (this.#answers === answers) this.#die('too slow');
      });
    }, this.#jobLimitMs());
  }

  #die(ending: Ending, cause?: unknown): void {
    if (this.#over) return;
    void this.end();
    const [culprit, ...others] = this.#assigned;
    this.#assigned = [];
    this.#events.died({ ending: this.#ready ? ending : 'never ready', culprit, others, cause });
  }
}
