import type { Context } from '../../src/context/context.ts';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { createRound } from '../../temporal/due-lives.ts';
import { lives } from '../../temporal/lives.ts';

const Count = z.object({ count: z.number() });

/** How many messages of a life nobody has looked at yet, delivered or not. */
export const messagesOf = (db: CommonQueryMethods, life: string): Promise<number> =>
  db.oneFirst(sql.type(Count)`select count(*)::int from lives
    where life = ${life} and epoch is null and (ready or attempts > 0)`);

/** In how many seconds somebody looks at a life next, as its last look left it; null: no look left anything. */
export const looksAgainIn = (db: CommonQueryMethods, life: string): Promise<number | null> =>
  db.maybeOneFirst(sql.type(z.object({ seconds: z.number() }))`
    select extract(epoch from due_at - clock_timestamp())::float8 as seconds from lives where life = ${life} and epoch is not null`);

/** Makes due now the messages of a life, as delivered and lost, and its next look. */
export async function makeDue(db: CommonQueryMethods, life: string): Promise<void> {
  await db.query(sql.type(z.object({}))`
    update lives set ready = false, attempts = greatest(attempts, case when epoch is null then 1 else 0 end),
      due_at = clock_timestamp() - interval '1 second' where life = ${life}`);
}

/** One round of looking after lives, as a worker does it every second. */
export const lookAfterLives = (context: Context, round = { temporalIsAway: false }): Promise<void> =>
  createRound(lives)(context, round);
