import { Child } from './child.ts';
import type { PooledProgram } from './programs.ts';
import type { Walls } from './walls.ts';

/** For which a pool without runs keeps its processes: a Python that waits holds 170 MB. */
const IDLE_MS = 5 * 60_000;

/** Processes of one runtime. The first one starts with the first run, and from then on one is kept ready. */
export class Pool {
  readonly #program: PooledProgram;
  readonly #walls: Promise<Walls>;
  readonly #ready: Child[] = [];
  /** Everything that may run. */
  readonly #alive = new Set<Child>();
  /** The next one to be ready. */
  #starting: Promise<Child | undefined> | undefined;
  #started = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(program: PooledProgram, walls: Promise<Walls>) {
    this.#program = program;
    this.#walls = walls;
  }

  /** @returns undefined where no process could be started */
  async take(): Promise<Child | undefined> {
    clearTimeout(this.#idle);
    const child = this.#nextReady() ?? (await this.#takeStarting());
    // A process for a single run is followed by the next one at once, others once they are gone.
    if (this.#program.mostRuns === 1) this.#keepOneReady();
    return child;
  }

  /** After its run, or none. */
  giveBack(child: Child): void {
    if (child.runs >= this.#program.mostRuns || this.#closed) child.end();
    if (child.isGone) this.#alive.delete(child);
    else this.#ready.push(child);
    this.#keepOneReady();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#endReady(), IDLE_MS);
    this.#idle.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const child of this.#alive) child.end();
    await this.#endReady();
  }

  /** The one used last, which is the warmest; one that ended while it waited is passed over. */
  #nextReady(): Child | undefined {
    for (let child = this.#ready.pop(); child !== undefined; child = this.#ready.pop()) {
      if (!child.isGone) return child;
      this.#alive.delete(child);
    }
    return undefined;
  }

  async #takeStarting(): Promise<Child | undefined> {
    const starting = this.#starting ?? this.#start();
    this.#starting = undefined;
    return await starting;
  }

  #keepOneReady(): void {
    if (this.#closed || this.#starting !== undefined || this.#ready.some(({ isGone }) => !isGone)) return;
    const starting = this.#start();
    this.#starting = starting;
    void this.#keep(starting);
  }

  async #keep(starting: Promise<Child | undefined>): Promise<void> {
    const child = await starting;
    // Somebody may have taken it meanwhile, and keeps it.
    if (this.#starting !== starting) return;
    this.#starting = undefined;
    if (child !== undefined) this.#ready.push(child);
  }

  async #start(): Promise<Child | undefined> {
    const walls = await this.#walls;
    this.#started += 1;
    const child = this.#closed ? undefined : await Child.start(this.#program, walls, this.#started);
    if (child === undefined) return undefined;
    if (this.#closed) child.end();
    else this.#alive.add(child);
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
