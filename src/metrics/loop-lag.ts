import { monitorEventLoopDelay, type Histogram } from 'node:perf_hooks';

/** Milliseconds between two looks at the clock; finer ones wake an idle process more often. */
const RESOLUTION_MS = 10;
/** Milliseconds that are judged together: every scrape of a minute or less sees some, and most see each. */
const WINDOW_MS = 30_000;

/** Seconds. */
interface Lag {
  p99: number;
  max: number;
}

/** Nanoseconds from one look to the next, as Node measures them: the resolution is part of each. */
type Looks = Pick<Histogram, 'count' | 'max' | 'percentile' | 'reset'>;

/** The delay of the event loop in the last whole window. Reading changes nothing, so any number may read. */
export class LoopLag implements Lag {
  readonly #looks: Looks;
  #last: Lag = { p99: 0, max: 0 };
  #isFirst = true;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  get p99(): number {
    return this.#shown.p99;
  }

  get max(): number {
    return this.#shown.max;
  }

  /** Ends the window and begins the next one. */
  endWindow(): void {
    this.#last = this.#now();
    this.#isFirst = false;
    this.#looks.reset();
  }

  /** Until the first window has ended, what there is of it. */
  get #shown(): Lag {
    return this.#isFirst ? this.#now() : this.#last;
  }

  #now(): Lag {
    if (this.#looks.count === 0) return { p99: 0, max: 0 };
    const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
    return { p99: seconds(this.#looks.percentile(99)), max: seconds(this.#looks.max) };
  }
}

/** Watches the loop of this thread as long as the process runs. */
export function watchLoop(): LoopLag {
  const looks = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  looks.enable();
  const lag = new LoopLag(looks);
  setInterval(() => lag.endWindow(), WINDOW_MS).unref();
  return lag;
}
