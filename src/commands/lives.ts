import type { Logger } from 'pino';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

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

/** What a person looks at first of the lives that are due. */
const StateRow = z.object({
  ready: z.number(),
  oldest_seconds: z.number(),
  overdue: z.number(),
  refused: z.number(),
  first_refused: z.string().nullable(),
  refused_since: z.string().nullable(),
});

/** By indexes of those that are due alone; what is more than 100,000 is 100,000. */
const stateOfLives = (pool: CommonQueryMethods) => pool.one(sql.type(StateRow)`select * from state_of_lives()`);

/** In Prometheus' text format, as the database has it when it is asked. */
export async function lifeMetrics({ pool }: { pool: CommonQueryMethods }): Promise<string> {
  const { ready, oldest_seconds: oldest, overdue, refused } = await stateOfLives(pool);
  return `# HELP carnet_lives_ready Messages for lives that are to be delivered to Temporal, 100,000 at most
# TYPE carnet_lives_ready gauge
carnet_lives_ready ${ready}
# HELP carnet_lives_oldest_seconds Seconds for which the oldest of them has been due
# TYPE carnet_lives_oldest_seconds gauge
carnet_lives_oldest_seconds ${oldest}
# HELP carnet_lives_overdue Lives that are due and nobody has looked at, 100,000 at most
# TYPE carnet_lives_overdue gauge
carnet_lives_overdue ${overdue}
# HELP carnet_lives_refused Lives that Temporal refuses to wake
# TYPE carnet_lives_refused gauge
carnet_lives_refused ${refused}
`;
}

/** Tells what a person must know about lives that Temporal refuses to wake, and what to do; null where there is none. */
export async function troubleOfLives({ pool }: { pool: CommonQueryMethods }): Promise<string | null> {
  const { refused: lives, first_refused: first, refused_since: since } = await stateOfLives(pool);
  if (first === null || since === null) return null;
  return (
    `Temporal refuses to wake ${lives} ${lives === 1 ? 'life' : 'lives'}, ${first} for the longest, since ${since}. Each is tried again, at least every hour. ` +
    'The log of the worker says why Temporal refuses; docs/operations.md says what to do.'
  );
}
