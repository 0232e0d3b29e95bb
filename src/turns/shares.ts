/**
 * Places that callers hold, shared fairly. A caller takes another place while they hold fewer than twice as many as are free, and the last
 * that is free only where they hold none: alone they come to three quarters of the places, and the rest is for who comes next.
 */
export class Shares {
  #free: number;
  /** By caller; who holds none is not there. */
  readonly #held = new Map<string, number>();

  constructor(places: number) {
    this.#free = places;
  }

  get free(): number {
    return this.#free;
  }

  mayTake(caller: string): boolean {
    const held = this.#held.get(caller) ?? 0;
    return held === 0 ? this.#free > 0 : this.#free > 1 && held < 2 * this.#free;
  }

  take(caller: string): void {
    this.#free -= 1;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  giveBack(caller: string): void {
    this.#free += 1;
    const left = (this.#held.get(caller) ?? 0) - 1;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
