/** Announcements that a process remembers: of seconds where it is busy, of hours where it is not; under a megabyte. */
const REMEMBERED = 10_000;

interface Change {
  id: string;
  at: number;
}

/** The latest announcements of changed rows, so that who read a row a moment before they listened learns what they missed. */
export class RecentChanges {
  readonly #changes: Change[] = [];
  #next = 0;
  /** The moment from which on all announcements are known. */
  #knownSince: number;

  constructor(now: number = Date.now()) {
    this.#knownSince = now;
  }

  /** @param id `'*'` where announcements may have been missed */
  note(id: string, at: number): void {
    const forgotten = this.#changes[this.#next];
    if (forgotten !== undefined) this.#knownSince = forgotten.at;
    this.#changes[this.#next] = { id, at };
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  mayHaveChanged(ids: ReadonlySet<string>, since: number): boolean {
    if (since <= this.#knownSince) return true;
    return this.#changes.some(({ id, at }) => at >= since && (id === '*' || ids.has(id)));
  }
}
