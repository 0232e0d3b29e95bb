import type { Context } from '../context/context.ts';
import { assertTimeLeft } from '../turns/quota.ts';
import { Places } from '../turns/places.ts';
import { sharerOf } from './fair-use.ts';
import type { Middleware, Validated } from './state.ts';

/** Half of the connections of a process: however many heavy reads there are, commands have the others. */
const PLACES = 4;
/** As long as a statement may take. */
const WAIT_MS = 10_000;
/** Reads of a fifth of a second, three at a time, are all answered before the last has waited too long. */
const MAX_WAITING_OF_CALLER = 100;
const MAX_WAITING = 1_000;

export interface HeavyReads {
  /**
   * Does the work of a call: in a place, where the route says that it takes long.
   * @throws CarnetError RATE_LIMITED, TEMPORARILY_UNAVAILABLE
   */
  run<T>(
    route: { isHeavy?(query: unknown, body: unknown): boolean },
    by: { query: unknown; body: unknown; sharer: string },
    work: () => Promise<T>,
  ): Promise<T>;
}

/**
 * Lets reads that take Postgres or the event loop long (`isHeavy`) be done in a few places, which operators share fairly. The time in a place
 * counts as processor time of the operator: it is taken by the clock, since nobody knows what Postgres used for one statement.
 */
export function createHeavyReads({ processorTime }: Pick<Context, 'processorTime'>): HeavyReads {
  const places = new Places({
    places: PLACES,
    of: 'searches, suggestions and statements',
    waitMs: WAIT_MS,
    waitingOfCaller: MAX_WAITING_OF_CALLER,
    waiting: MAX_WAITING,
  });
  return {
    async run(route, { query, body, sharer }, work) {
      if (route.isHeavy?.(query, body) !== true) return await work();
      assertTimeLeft(processorTime, sharer);
      places.assertRoom(sharer);
      return await places.run(sharer, async () => {
        const began = performance.now();
        try {
          return await work();
        } finally {
          processorTime.use(sharer, performance.now() - began);
        }
      });
    },
  };
}

/** @throws as `HeavyReads.run` */
export const heavyReads =
  (context: Context, heavy: HeavyReads): Middleware<Validated> =>
  (ctx, next) => {
    const { query, body } = ctx.state.values;
    return heavy.run(ctx.state.route, { query, body, sharer: sharerOf(ctx, context) }, next);
  };
