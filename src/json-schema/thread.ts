import { Worker } from 'node:worker_threads';
import type { Answer, Job } from './messages.ts';

/** A worker is ready in 0.3 s, having run its first schemas; on a machine under load it takes longer, and none is given up before this. */
const START_LIMIT_MS = 10_000;
/** Jobs a worker holds at once, so that it need not wait for the event loop between two. */
const IN_HAND = 4;

export type Ending = 'too slow' | 'crashed' | 'never ready';

export interface Death<Item> {
  ending: Ending;
  /** The job that was being run. */
  culprit: Item | undefined;
  /** Those in hand that had not begun. */
  others: Item[];
  cause: unknown;
}

interface Events<Item> {
  ready(): void;
  answered(item: Item, answer: Answer): void;
  /** The thread is gone. */
  died(death: Death<Item>): void;
}

/** One worker thread and the jobs in its hands, which it answers in their order. */
export class Thread<Item> {
  readonly #worker: Worker;
  readonly #events: Events<Item>;
  #inHand: Item[] = [];
  #ready = false;
  #over = false;
  #answers = 0;
  #timer: NodeJS.Timeout;
  readonly #jobLimitMs: () => number;

  /** @param jobLimitMs is asked when a job begins */
  constructor(events: Events<Item>, jobLimitMs: () => number) {
    this.#events = events;
    this.#jobLimitMs = jobLimitMs;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      // Nothing that a schema could reach for, and no flag of the main thread that a worker would choke on.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (answer: Answer) => this.#heard(answer));
    this.#worker.on('error', (error) => this.#die('crashed', error));
    this.#worker.on('exit', () => this.#die('crashed'));
    // The timer alone keeps the process alive, and only while somebody waits. Listening to messages undoes an earlier
    // unref.
    this.#worker.unref();
    this.#timer = setTimeout(() => this.#die('too slow'), START_LIMIT_MS);
  }

  get jobs(): readonly Item[] {
    return this.#inHand;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  get isIdle(): boolean {
    return this.#ready && this.#inHand.length === 0;
  }

  get hasRoom(): boolean {
    return this.#ready && this.#inHand.length < IN_HAND;
  }

  /** `job` is what the worker reads, `item` what `answered` and `died` will name. */
  give(item: Item, job: Job): void {
    this.#inHand.push(item);
    if (this.#inHand.length === 1) this.#arm();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin; the rule means windows
    this.#worker.postMessage(job);
  }

  /** Ends the thread at once, without a word to `died`. */
  async end(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  #heard(answer: Answer): void {
    if (this.#over) return;
    clearTimeout(this.#timer);
    if (answer === 'ready') {
      this.#ready = true;
      this.#events.ready();
      return;
    }
    this.#answers += 1;
    const item = this.#inHand.shift();
    if (this.#inHand.length > 0) this.#arm();
    if (item) this.#events.answered(item, answer);
  }

  /** The first job in hand has begun. */
  #arm(): void {
    const answers = this.#answers;
    this.#timer = setTimeout(() => {
      // Where this event loop itself stood still, the answer waits behind the timer: let it be heard first.
      setImmediate(() => {
        if (this.#answers === answers) this.#die('too slow');
      });
    }, this.#jobLimitMs());
  }

  #die(ending: Ending, cause?: unknown): void {
    if (this.#over) return;
    void this.end();
    const [culprit, ...others] = this.#inHand;
    this.#inHand = [];
    this.#events.died({ ending: this.#ready ? ending : 'never ready', culprit, others, cause });
  }
}
