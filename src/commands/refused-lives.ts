import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

const RefusedRow = z.object({ lives: z.number(), first: z.string().nullable(), since: z.string().nullable() });

/** How many lives Temporal refuses to wake, and the one that has waited longest; by an index of those alone. */
const refusedLives = (pool: CommonQueryMethods) =>
  pool.one(sql.type(RefusedRow)`
    select count(*)::int as lives, (array_agg(life order by refused_at))[1] as first, min(refused_at) as since
    from life_messages where refused_at is not null`);

/** In Prometheus' text format, as the database has it when it is asked. */
export async function lifeMetrics({ pool }: { pool: CommonQueryMethods }): Promise<string> {
  const { lives } = await refusedLives(pool);
  return `# HELP carnet_lives_refused Lives that Temporal refuses to wake
# TYPE carnet_lives_refused gauge
carnet_lives_refused ${lives}
`;
}

/** Tells what a person must know about lives that Temporal refuses to wake, and what to do; null where there is none. */
export async function troubleOfLives({ pool }: { pool: CommonQueryMethods }): Promise<string | null> {
  const { lives, first, since } = await refusedLives(pool);
  if (first === null || since === null) return null;
  return (
    `Temporal refuses to wake ${lives} ${lives === 1 ? 'life' : 'lives'}, ${first} for the longest, since ${since}. Each is tried again, at least every hour. ` +
    'The log of the worker says why Temporal refuses; docs/operations.md says what to do.'
  );
}
