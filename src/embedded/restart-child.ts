import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export interface KeepAliveOptions {
  launch: () => Promise<Child>;
  /** Resolves when the part serves; rejects when it ended, or failed, before that. */
  ready: (child: Child) => Promise<void>;
  /** Told each time a part that served has died by itself. */
  onLost: () => void;
  /** Told why a new try failed, and after how many milliseconds the next one comes. */
  onRetry: (reason: string, delayMs: number) => void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** A part that has served this long is not in a loop of crashes: its next restart is immediate. */
const STEADY_MS = 60_000;

const delayAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);

/**
 * Starts a part and, whenever it dies, starts it again until it is stopped, with delays that double from 0.1 to 10 s.
 *
 * @throws what the first start throws
 */
export const keepAlive = async (options: KeepAliveOptions): Promise<{ stop(): Promise<void> }> => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Child | undefined;

  const start = async (): Promise<Child> => {
    const child = await options.launch();
    current = child;
    if (signal.aborted) void child.stop();
    try {
      await options.ready(child);
      return child;
    } catch (error) {
      await child.stop();
      throw error;
    }
  };

  const restart = async (failuresBefore: number): Promise<{ child: Child | undefined; failures: number }> => {
    for (let failures = failuresBefore; ; failures += 1) {
      await sleep(delayAfter(failures), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return { child: undefined, failures };
      try {
        return { child: await start(), failures };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!signal.aborted) options.onRetry(reason, delayAfter(failures + 1));
      }
    }
  };

  const watch = async (first: Child): Promise<void> => {
    let serving: Child | undefined = first;
    let failures = 0;
    while (serving) {
      const since = performance.now();
      await serving.exited;
      if (signal.aborted) return;
      options.onLost();
      failures = performance.now() - since > STEADY_MS ? 0 : failures + 1;
      ({ child: serving, failures } = await restart(failures));
    }
  };

  const watching = watch(await start());
  return {
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };
};
