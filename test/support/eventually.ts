import { setTimeout as pause } from 'node:timers/promises';

interface EventuallyOptions {
  seconds?: number;
  /** Errors of `look` that mean "not yet"; none by default. */
  ignoreErrors?: (error: unknown) => boolean;
}

/** Between two looks, in milliseconds. A look is a request or a query, and what takes seconds needs few of them. */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 100;
/** The pause by the time waited so far: a wait gets a tenth longer at most. */
const pauseAfter = (waited: number): number => Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, waited / 10));

/**
 * Calls `look` every 20 ms, and every 100 ms after a second, until it returns something other than undefined or false.
 * @throws Error naming what was waited for when the time is over.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: EventuallyOptions = {},
): Promise<T> {
  const since = performance.now();
  const until = since + (options.seconds ?? 40) * 1_000;
  let last: unknown;
  for (;;) {
    try {
      const value = await look();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      if (options.ignoreErrors?.(error) !== true) throw error;
      last = error;
    }
    if (performance.now() > until)
      throw new Error(`Waited in vain for ${what}${last instanceof Error ? ` (last: ${last.message})` : ''}.`);
    await pause(pauseAfter(performance.now() - since));
  }
}
