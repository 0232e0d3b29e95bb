import { CarnetError } from '../errors/carnet-error.ts';
import { Turns } from './turns.ts';

interface PlaceLimits {
  /** Names what there are places at, for sentences: `the database`. */
  at: string;
  /** The places that there are at all. */
  places: number;
  /** Milliseconds for which a place is waited for. */
  waitMs: number;
  /** The number that may wait of one caller, and of all together, when a caller comes with more. */
  waitingOfCaller: number;
  waiting: number;
}

interface Waiting {
  caller: string;
  begin(): void;
}

/**
 * Places in which work is done, shared fairly by callers. A caller takes another place while they hold fewer than twice as many as are
 * free, and the last that is free only where they hold none: alone they come to three quarters of the places, and the rest is for who comes
 * next. What finds no place waits; callers take turns, and what one of them has waiting keeps its order.
 */
export class Places {
  readonly #limits: PlaceLimits;
  #free: number;
  /** By caller; who holds none is not there. */
  readonly #held = new Map<string, number>();
  readonly #waiting = new Turns<Waiting>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
    this.#free = limits.places;
  }

  /**
   * For the beginning of what a caller wants: what has begun is not refused for its number, since it may have changed something.
   * @throws CarnetError `RATE_LIMITED` where too much of this caller waits, `TEMPORARILY_UNAVAILABLE` where too much of all does
   */
  assertRoom(caller: string): void {
    const { at, waitingOfCaller, waiting } = this.#limits;
    if (this.#waiting.size === 0) return;
    if (this.#waiting.waitingOf(caller) >= waitingOfCaller)
      throw new CarnetError(
        'RATE_LIMITED',
        `${waitingOfCaller} calls of yours wait for ${at}; go on when some are answered.`,
        { headers: { 'Retry-After': '1' } },
      );
    if (this.#waiting.size >= waiting) throw unavailable(`Too many calls wait for ${at}.`);
  }

  /**
   * Does the work in a place, as soon as there is one for this caller. Work that needs a second place for itself may wait for it in vain.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE` where there was none for `waitMs`; what `work` throws
   */
  async run<Value>(caller: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#mayTake(caller)) this.#take(caller);
    else await this.#turn(caller);
    try {
      return await work();
    } finally {
      this.#giveBack(caller);
    }
  }

  #mayTake(caller: string): boolean {
    const held = this.#held.get(caller) ?? 0;
    return held === 0 ? this.#free > 0 : this.#free > 1 && held < 2 * this.#free;
  }

  #take(caller: string): void {
    this.#free -= 1;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  #giveBack(caller: string): void {
    this.#free += 1;
    const left = (this.#held.get(caller) ?? 0) - 1;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
    if (this.#waiting.size > 0) this.#dispatch();
  }

  /** Until a place is taken for this caller. */
  #turn(caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        caller,
        begin() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.remove(waiting);
        reject(unavailable(`There was too much to do at ${this.#limits.at} for this call to begin.`));
      }, this.#limits.waitMs);
      this.#waiting.push(waiting);
    });
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#waiting.take(({ caller }) => this.#mayTake(caller));
      if (next === undefined) return;
      this.#take(next.caller);
      next.begin();
    }
  }
}

const unavailable = (why: string): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', `${why} Try again in a moment.`, { headers: { 'Retry-After': '1' } });
