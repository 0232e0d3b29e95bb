import { cpuMsOf, usageOf } from './usage.ts';

/** Measures how much a process uses from now on, from outside: a script that broke out of its runtime could name any number. */
export class Meter {
  readonly #pid: number | undefined;
  readonly #began = performance.now();
  readonly #before: ReturnType<typeof usageOf>;
  readonly #cpuMsBefore: number | undefined;
  #seenMs = 0;

  /** @param pid undefined where the system does not show the process */
  constructor(pid: number | undefined) {
    this.#pid = pid;
    this.#before = pid === undefined ? undefined : usageOf(pid);
    this.#cpuMsBefore = pid === undefined ? undefined : cpuMsOf(pid);
  }

  /** Bytes of resident memory above those at the beginning, and milliseconds of processor time in ticks: cheap enough for many looks. */
  look(): { grownBytes: number; cpuMs: number } | undefined {
    const now = this.#pid === undefined ? undefined : usageOf(this.#pid);
    if (this.#before === undefined || now === undefined) return undefined;
    const cpuMs = now.cpuMs - this.#before.cpuMs;
    this.#seenMs = Math.max(this.#seenMs, cpuMs);
    return { grownBytes: now.residentBytes - this.#before.residentBytes, cpuMs };
  }

  /** Milliseconds of processor time; of a process that is gone, those that were seen last; where none are shown, those of the clock. */
  spentMs(): number {
    if (this.#pid === undefined || this.#cpuMsBefore === undefined) return performance.now() - this.#began;
    const now = cpuMsOf(this.#pid);
    if (now !== undefined) this.#seenMs = Math.max(this.#seenMs, now - this.#cpuMsBefore);
    return this.#seenMs;
  }
}
