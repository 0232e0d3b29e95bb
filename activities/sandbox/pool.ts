import { Child } from './child.ts';
import type { PooledProgram } from './programs.ts';
import type { Walls } from './walls.ts';

/** For which a pool without runs keeps its processes: a Python that waits holds 170 MB. */
const IDLE_MS = 5 * 60_000;

/**
 * Processes of one runtime. The first one starts with the first run, and from then on one that nobody has used is kept ready. A process is
 * shared by nobody: if a script ever came out of its runtime, it would find what belongs to its own author and payer alone.
 */
export class Pool {
  readonly #program: PooledProgram;
  readonly #walls: () => Promise<Walls>;
  readonly #ready: Child[] = [];
  /** Everything that may run. */
  readonly #alive = new Set<Child>();
  /** The next one to be ready. */
  #starting: Promise<Child | undefined> | undefined;
  #started = 0;
  #idle: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(program: PooledProgram, walls: () => Promise<Walls>) {
    this.#program = program;
    this.#walls = walls;
  }

  /**
   * @param sharer whose run it is: the process serves no other from then on
   * @returns undefined where no process could be started
   */
  async take(sharer: string): Promise<Child | undefined> {
    clearTimeout(this.#idle);
    const child = this.#takeReady(sharer) ?? this.#takeReady(undefined) ?? (await this.#takeStarting());
    if (child !== undefined) child.sharer = sharer;
    // A process for a single run is followed by the next one immediately, others once they are gone.
    if (this.#program.maxRuns === 1) this.#keepOneReady();
    return child;
  }

  /** After its run, or none. */
  giveBack(child: Child): void {
    if (child.runs >= this.#program.maxRuns || this.#closing.signal.aborted) child.end();
    if (child.isGone) this.#alive.delete(child);
    else this.#ready.push(child);
    this.#keepOneReady();
    this.#endSurplus();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#endReady(), IDLE_MS);
    this.#idle.unref();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    for (const child of this.#alive) child.end();
    await this.#endReady();
  }

  /** The one used last, which is the warmest; those that ended while they waited are forgotten. */
  #takeReady(sharer: string | undefined): Child | undefined {
    for (const child of this.#ready.filter(({ isGone }) => isGone)) this.#forget(child);
    const child = this.#ready.findLast((ready) => ready.sharer === sharer);
    if (child !== undefined) this.#ready.splice(this.#ready.indexOf(child), 1);
    return child;
  }

  #forget(child: Child): void {
    this.#ready.splice(this.#ready.indexOf(child), 1);
    this.#alive.delete(child);
  }

  /** Those that were used the longest ago give way to the one that nobody has used. */
  #endSurplus(): void {
    const used = this.#ready.filter(({ sharer }) => sharer !== undefined);
    for (const child of used.slice(0, Math.max(0, used.length + 1 - this.#program.maxReady))) {
      child.end();
      this.#forget(child);
    }
  }

  async #takeStarting(): Promise<Child | undefined> {
    const starting = this.#starting ?? this.#start();
    this.#starting = undefined;
    return await starting;
  }

  #keepOneReady(): void {
    if (this.#closing.signal.aborted || this.#starting !== undefined || this.#hasFresh()) return;
    const starting = this.#start();
    this.#starting = starting;
    void this.#keep(starting);
  }

  #hasFresh(): boolean {
    return this.#ready.some(({ isGone, sharer }) => !isGone && sharer === undefined);
  }

  async #keep(starting: Promise<Child | undefined>): Promise<void> {
    const child = await starting;
    // Somebody may have taken it meanwhile, and keeps it.
    if (this.#starting !== starting) return;
    this.#starting = undefined;
    if (child !== undefined) this.#ready.push(child);
  }

  async #start(): Promise<Child | undefined> {
    const walls = await this.#walls();
    this.#started += 1;
    const child = await Child.start(this.#program, walls, { n: this.#started, signal: this.#closing.signal });
    if (child !== undefined) this.#alive.add(child);
    return child;
  }

  async #endReady(): Promise<void> {
    const starting = await this.#starting;
    starting?.end();
    for (const child of this.#ready.splice(0)) {
      child.end();
      this.#alive.delete(child);
    }
  }
}
