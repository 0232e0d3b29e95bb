import { setTimeout as pause } from 'node:timers/promises';

interface EventuallyOptions {
  seconds?: number;
  /** Errors of `look` that mean "not yet"; none by default. */
  ignoreErrors?: (error: unknown) => boolean;
}

/**
 * Calls `look` every 20 ms until it returns something other than undefined or false.
 * @throws Error naming what was waited for when the time is over.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: EventuallyOptions = {},
): Promise<T> {
  const until = performance.now() + (options.seconds ?? 40) * 1_000;
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
    await pause(20);
  }
}
