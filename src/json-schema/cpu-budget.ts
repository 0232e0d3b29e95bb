import { LRUCache } from 'lru-cache';

/** Milliseconds in which a caller's whole budget comes back. */
const PERIOD_MS = 60_000;
/** Callers whose use is remembered; one that is forgotten begins again. */
const MAX_CALLERS = 10_000;

/** How much processor time the checks of each caller have used lately. It comes back evenly, so there is no window to wait for. */
export class CpuBudget {
  readonly #used = new LRUCache<string, { ms: number; at: number }>({ max: MAX_CALLERS });

  use(caller: string, ms: number, budgetMs: number): void {
    this.#used.set(caller, { ms: this.#usedBy(caller, budgetMs) + ms, at: performance.now() });
  }

  /** Whole seconds until the caller has time again; 0: there is some now. */
  secondsToWait(caller: string, budgetMs: number): number {
    const over = this.#usedBy(caller, budgetMs) - budgetMs;
    return over < 0 ? 0 : Math.max(1, Math.ceil((over * PERIOD_MS) / budgetMs / 1_000));
  }

  #usedBy(caller: string, budgetMs: number): number {
    const used = this.#used.get(caller);
    if (used === undefined) return 0;
    return Math.max(0, used.ms - ((performance.now() - used.at) * budgetMs) / PERIOD_MS);
  }
}
