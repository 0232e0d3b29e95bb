import type { Logger } from 'pino';
import { CarnetError } from '../../errors/carnet-error.ts';

/** How many operators must get no answer, with none in between, before calls are refused: one may have a trouble of its own. */
const OPERATORS_WITHOUT_ANSWER = 2;
/** Milliseconds from a call without an answer to the next try. */
const PAUSE_MS = 5_000;

/**
 * Whether the provider answers, as far as the callers of this process have found out. While it does not, calls are refused
 * immediately, but for one each few seconds.
 */
export class Circuit {
  readonly #log: Logger;
  readonly #triesForMs: number;
  readonly #now: () => number;
  /** Operators without an answer since the last one that came. */
  readonly #unanswered = new Set<string>();
  #refusingUntil = 0;

  /**
   * @param triesForMs how long a call may take
   * @param now milliseconds of a clock that never goes back
   */
  constructor(log: Logger, triesForMs: number, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#triesForMs = triesForMs;
    this.#now = now;
  }

  get #isOpen(): boolean {
    return this.#unanswered.size >= OPERATORS_WITHOUT_ANSWER;
  }

  /** @throws CarnetError TEMPORARILY_UNAVAILABLE while the provider does not answer */
  assertClosed(): void {
    const leftMs = this.#refusingUntil - this.#now();
    if (this.#isOpen && leftMs > 0) throw noAnswer(Math.ceil(leftMs / 1_000));
  }

  /** The same for a call that goes on: after a pause this one finds out for all others whether the provider answers again. */
  enter(): void {
    this.assertClosed();
    this.#refusingUntil = this.#now() + this.#triesForMs;
  }

  answered(): void {
    if (this.#isOpen) this.#log.info('the payment provider answers again');
    this.#unanswered.clear();
  }

  unanswered(operatorId: string): void {
    const wasOpen = this.#isOpen;
    this.#unanswered.add(operatorId);
    this.#refusingUntil = this.#now() + PAUSE_MS;
    if (this.#isOpen && !wasOpen)
      this.#log.warn('the payment provider does not answer; calls that open a page are refused until it does');
  }
}

/** @param seconds until another call is worth it */
export const noAnswer = (seconds = PAUSE_MS / 1_000, cause?: unknown): CarnetError =>
  new CarnetError(
    'TEMPORARILY_UNAVAILABLE',
    'The payment provider does not answer. Send the same request again with the same Idempotency-Key; if it had none, give it one now.',
    { headers: { 'Retry-After': String(seconds) }, cause },
  );
