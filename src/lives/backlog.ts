import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

/** The first that a person looks at, of the lives that are due. */
const BacklogRow = z.object({
  /** As many as the bound at most. */
  ready: z.number(),
  /** For which the oldest of those that were counted has been due. */
  oldest_seconds: z.number(),
  /** Those who have `own` or more. */
  owners: z.array(z.string()),
});
export type Backlog = z.infer<typeof BacklogRow>;

/** Messages that are due and wait for their delivery, by an index of those alone. */
export const backlogOfLives = (
  pool: CommonQueryMethods,
  { all, own }: { all: number; own: number },
): Promise<Backlog> => pool.one(sql.type(BacklogRow)`select * from backlog_of_lives(${all}, ${own})`);

const StateRow = BacklogRow.pick({ ready: true, oldest_seconds: true }).extend({
  overdue: z.number(),
  /** Those of them that have been due for more than a minute. */
  late: z.number(),
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

/** Seconds for which a life may wait for its delivery, or for a look when it is due; more is told. */
const BEHIND_SECONDS = 60;

/** Troubles that a person must know of, and what to do; each is null where there is none. */
export interface LifeTrouble {
  /** Temporal refuses to wake some. */
  refused: string | null;
  /** Some have waited for long. */
  behind: string | null;
}

export async function troubleOfLives({ pool }: { pool: CommonQueryMethods }): Promise<LifeTrouble> {
  const state = await stateOfLives(pool);
  const { refused: lives, first_refused: first, refused_since: since, ready, oldest_seconds: oldest, late } = state;
  return {
    refused:
      first === null || since === null
        ? null
        : `Temporal refuses to wake ${lives} ${lives === 1 ? 'life' : 'lives'}, ${first} for the longest, since ${since}. Each is tried again, at least every hour. ` +
          'The log of the worker says why Temporal refuses; docs/operations.md says what to do.',
    behind:
      oldest >= BEHIND_SECONDS
        ? `${ready} messages for lives wait, the oldest for ${Math.floor(oldest)} seconds. Look whether Temporal answers and a worker runs; if both do, there is more work than they carry.`
        : late > 0
          ? `${late} ${late === 1 ? 'life has' : 'lives have'} been due for more than a minute, and nobody has looked. Look whether a worker runs; if one does, it catches up.`
          : null,
  };
}
