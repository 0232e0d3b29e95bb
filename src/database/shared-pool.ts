import { LRUCache } from 'lru-cache';
import { Places } from '../turns/places.ts';
import type { DatabasePool } from './pool.ts';

/** As long as a statement may take. */
const WAIT_MS = 10_000;
/** Calls of 120 ms, six at a time, are all answered before the last has waited too long. */
const MAX_WAITING_OF_CALLER = 500;
/** Ten callers have as much waiting as they may; each call holds its request in memory. */
const MAX_WAITING = 5_000;
/** Pools of callers that are kept, about 2 KB each; making one again takes a microsecond. */
const KEPT_POOLS = 1_000;

/**
 * A pool whose connections callers share fairly (`Places`). Waiting for a row or a life holds none of them. Of eight a caller alone has six:
 * commands commit as fast as with all eight then (1,840 a second to 1,880), and with four half as fast.
 * None is kept for commands alone: commands of three callers would hold those as well.
 */
export class SharedPool {
  readonly #pool: DatabasePool;
  readonly #places: Places;
  readonly #pools = new LRUCache<string, DatabasePool>({ max: KEPT_POOLS });

  constructor(pool: DatabasePool) {
    this.#pool = pool;
    const { maxPoolSize = 10 } = pool.configuration; // slonik's own number
    this.#places = new Places({
      places: maxPoolSize,
      of: 'the database',
      waitMs: WAIT_MS,
      waitingOfCaller: MAX_WAITING_OF_CALLER,
      waiting: MAX_WAITING,
    });
  }

  /**
   * The pool as this caller has it: a statement or a transaction waits for its turn. It throws TEMPORARILY_UNAVAILABLE where that does not
   * come within ten seconds.
   * @throws CarnetError RATE_LIMITED, TEMPORARILY_UNAVAILABLE where too much waits
   */
  of(caller: string): DatabasePool {
    this.#places.assertRoom(caller);
    let pool = this.#pools.get(caller);
    if (pool === undefined) this.#pools.set(caller, (pool = this.#poolOf(caller)));
    return pool;
  }

  #poolOf(caller: string): DatabasePool {
    const inTurn =
      <Args extends unknown[], Value>(method: (...args: Args) => Promise<Value>) =>
      (...args: Args): Promise<Value> =>
        this.#places.run(caller, () => method(...args));
    const pool = this.#pool;
    const own = Object.create(pool) as DatabasePool;
    return Object.assign(own, {
      any: inTurn(pool.any),
      anyFirst: inTurn(pool.anyFirst),
      connect: inTurn(pool.connect),
      exists: inTurn(pool.exists),
      many: inTurn(pool.many),
      manyFirst: inTurn(pool.manyFirst),
      maybeOne: inTurn(pool.maybeOne),
      maybeOneFirst: inTurn(pool.maybeOneFirst),
      one: inTurn(pool.one),
      oneFirst: inTurn(pool.oneFirst),
      query: inTurn(pool.query),
      record: inTurn(pool.record),
      stream: inTurn(pool.stream),
      transaction: inTurn(pool.transaction),
    });
  }
}
