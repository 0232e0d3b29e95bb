import { hash } from 'node:crypto';
import { CarnetError } from '../errors/carnet-error.ts';

/** A caller may use `burst` together, and so much comes back in a second. */
export interface QuotaLimits {
  burst: number;
  perSecond: number;
}

interface Use {
  amount: number;
  /** By the clock of the quota, milliseconds. */
  at: number;
}

/** Callers whose use is kept apart, about 150 bytes each; those beyond share counters, so that memory stays bounded. */
const KEPT_APART = 50_000;
const SHARED_COUNTERS = 1_024;
/** Between two looks for callers who have everything back: one takes about a millisecond. */
const SWEEP_MS = 1_000;

/**
 * How much of something each caller has used lately. It comes back steadily, so there is no window at whose beginning a minute’s worth is there.
 * The cost of a use may be known only afterwards: then it may take more than there is, and the next one waits until that is back.
 */
export class Quota {
  readonly limits: QuotaLimits;
  readonly #now: () => number;
  readonly #uses = new Map<string, Use>();
  #nextSweep = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: QuotaLimits, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.#now = now;
  }

  /** May be less than nothing, to give back what was taken. */
  use(caller: string, amount: number): void {
    const name = this.#nameOf(caller);
    this.#uses.set(name, { amount: Math.max(0, this.#usedBy(name) + amount), at: this.#now() });
  }

  /** The use of the caller that is not back yet. */
  used(caller: string): number {
    return this.#usedBy(this.#nameOf(caller));
  }

  /** Whole seconds until the caller may use so much; 0: now. More than a burst is let through when all of it is there. */
  secondsToWait(caller: string, amount = 0): number {
    const { burst, perSecond } = this.limits;
    const over = this.#usedBy(this.#nameOf(caller)) + Math.min(amount, burst) - burst;
    return over <= 0 ? 0 : Math.max(1, Math.ceil(over / perSecond));
  }

  /** The caller may use so much now, rounded down, and has all of it back after so many seconds. */
  left(caller: string): { amount: number; secondsToFull: number } {
    const { burst, perSecond } = this.limits;
    const used = this.#usedBy(this.#nameOf(caller));
    return { amount: Math.max(0, Math.floor(burst - used)), secondsToFull: Math.ceil(used / perSecond) };
  }

  #usedBy(name: string): number {
    const use = this.#uses.get(name);
    return use === undefined ? 0 : Math.max(0, use.amount - ((this.#now() - use.at) * this.limits.perSecond) / 1_000);
  }

  #nameOf(caller: string): string {
    if (this.#uses.has(caller)) return caller;
    if (this.#uses.size >= KEPT_APART) this.#sweep();
    return this.#uses.size < KEPT_APART
      ? caller
      : `shared:${hash('sha256', caller, 'buffer').readUInt16BE() % SHARED_COUNTERS}`;
  }

  /** Forgets callers who have everything back. */
  #sweep(): void {
    if (this.#now() < this.#nextSweep) return;
    this.#nextSweep = this.#now() + SWEEP_MS;
    for (const name of this.#uses.keys()) if (this.#usedBy(name) === 0) this.#uses.delete(name);
  }
}

/** @param time milliseconds of processor time. @throws CarnetError RATE_LIMITED where the caller has none left */
export function assertTimeLeft(time: Quota, caller: string): void {
  const seconds = time.secondsToWait(caller);
  if (seconds === 0) return;
  const perMinute = Math.round((time.limits.perSecond * 60) / 1_000).toLocaleString('en');
  throw new CarnetError(
    'RATE_LIMITED',
    `Your checks against schemas, searches, suggestions and statements have used their processor time: ${perMinute} seconds a minute; go on in ${seconds} seconds.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
