import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

interface RestartOptions {
  launch: () => Promise<Child>;
  /** Resolves when the part serves; rejects when it ended, or failed, before that. */
  ready: (child: Child) => Promise<void>;
  /** Called each time a part that served has ended by itself. */
  onLost: () => void;
  /** Called with the reason of a failed try and the milliseconds until the next one. */
  onRetry: (reason: string, delayMs: number) => void;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** A part that has served this long is in no loop of crashes, so its next restart is immediate. */
const STEADY_MS = 60_000;

function delayAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
}

/**
 * Starts a part and restarts it whenever it ends by itself, after delays that double from 0.1 to 10 s, until it is
 * stopped.
 *
 * @throws what the first start throws
 */
export async function startWithRestarts(options: RestartOptions): Promise<{ stop(): Promise<void> }> {
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
}
