import type { Logger } from 'pino';
import type { Context } from '../context/context.ts';

/** Lives that are due, and no run has looked at. */
export interface DueLives {
  /** Workflow ids, of one kind. */
  lives: string[];
  /** Whether a run of those that go on is to be started or woken; otherwise they have waited for that in vain just now. */
  wakes: boolean;
}

/**
 * A look at lives without a run, in the database alone. Each that it looks at is due again when the look says; each that it leaves is due again in a
 * quarter of a minute. @returns how many have ended.
 */
export type LookOfLives = (context: Context, due: DueLives) => Promise<{ ended: number }>;

/** @param failed `<life>: <reason>` */
export function failedLooks(log: Logger, failed: string[]): void {
  if (failed.length > 0) log.error({ failed }, 'lives cannot be looked at; tried again in a minute');
}
