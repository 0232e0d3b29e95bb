import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

/** Whether Temporal is away for one part of the process; it is logged once when Temporal goes and once when it is back. */
interface Outage {
  /** Temporal answered. */
  over(): void;
  /** Nothing that was tried was answered. */
  seen(error: unknown): void;
  readonly lasting: boolean;
  /** False until the pause after the last failure is over; pauses double up to 5 s. */
  readonly worthATry: boolean;
  /** Waits until it is worth a try, or `signal` is aborted. */
  pause(signal: AbortSignal): Promise<void>;
}

export function createOutage(log: Logger, words: { gone: string; back: string }): Outage {
  let pauseMs = 0;
  let notBefore = 0;
  return {
    over() {
      if (pauseMs > 0) log.info(words.back);
      pauseMs = 0;
      notBefore = 0;
    },
    seen(error) {
      if (pauseMs === 0) log.warn({ err: error }, words.gone);
      pauseMs = Math.min(pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2, MAX_PAUSE_MS);
      notBefore = performance.now() + pauseMs;
    },
    get lasting() {
      return pauseMs > 0;
    },
    get worthATry() {
      return performance.now() >= notBefore;
    },
    async pause(signal) {
      await sleep(Math.max(0, notBefore - performance.now()), undefined, { signal }).catch(() => {});
    },
  };
}
