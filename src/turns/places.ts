import { CarnetError } from '../errors/carnet-error.ts';
import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

interface PlaceLimits {
  /** The places that there are at all. */
  places: number;
  /** A name of what is done in the places, for the sentences of refusals. */
  of: string;
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
 * Places in which work is done, shared fairly by callers (`Shares`). What finds no place waits; callers take turns, and what one of them has
 * waiting keeps its order.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #shares: Shares;
  readonly #waiting = new Turns<Waiting>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
    this.#shares = new Shares(limits.places);
  }

  /**
   * For the beginning of what a caller wants: what has begun is not refused for its number, since it may have changed something.
   * @throws CarnetError `RATE_LIMITED` where too much of this caller waits, `TEMPORARILY_UNAVAILABLE` where too much of all does
   */
  assertRoom(caller: string): void {
    const { of, waitingOfCaller, waiting } = this.#limits;
    if (this.#waiting.size === 0) return;
    if (this.#waiting.waitingOf(caller) >= waitingOfCaller)
      throw new CarnetError(
        'RATE_LIMITED',
        `${waitingOfCaller} calls of yours wait for ${of}; go on when some are answered.`,
        { headers: { 'Retry-After': '1' } },
      );
    if (this.#waiting.size >= waiting) throw unavailable(`Too many calls wait for ${of}.`);
  }

  /**
   * Does the work in a place, as soon as there is one for this caller. Work that needs a second place for itself may wait for it in vain.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE` where there was none for `waitMs`; what `work` throws
   */
  async run<Value>(caller: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#shares.mayTake(caller)) this.#shares.take(caller);
    else await this.#turn(caller);
    try {
      return await work();
    } finally {
      this.#shares.giveBack(caller);
      if (this.#waiting.size > 0) this.#dispatch();
    }
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
        reject(unavailable(`Too many calls were before this one at ${this.#limits.of}.`));
      }, this.#limits.waitMs);
      this.#waiting.push(waiting);
    });
  }

  #dispatch(): void {
    while (this.#shares.free > 0) {
      const next = this.#waiting.take(({ caller }) => this.#shares.mayTake(caller));
      if (next === undefined) return;
      this.#shares.take(next.caller);
      next.begin();
    }
  }
}

const unavailable = (why: string): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', `${why} Try again in a moment.`, { headers: { 'Retry-After': '1' } });
