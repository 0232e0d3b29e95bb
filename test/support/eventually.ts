import { setTimeout as pause } from 'node:timers/promises';

interface EventuallyOptions {
  seconds?: number;
  /** Errors of `look` that mean "not yet"; none by default. */
  ignoreErrors?: (error: unknown) => boolean;
}

/**
 * Between two looks, in milliseconds. A look is a request or a query: some ten milliseconds of processor time in this process, the service
 * and Postgres. At ten looks a second the shared service worked for 36 of 60 seconds in which most files waited.
 */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 400;
/** The pause by the time waited so far: a wait gets a fifth longer at most. */
const pauseAfter = (waited: number): number => Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, waited / 5));

/**
 * Calls `look` every 20 ms, and every 400 ms after two seconds, until it returns something other than undefined or false.
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
