import { z } from 'zod';
import { textArray } from '../src/database/columns.ts';
import { sql, type CommonQueryMethods } from '../src/database/pool.ts';
import { Priority } from './lives.ts';

/** Rows of one life, leased together: one signal stands for them all. */
export interface LeasedLife {
  life: string;
  ids: number[];
  /** That of a command that left one of them; null: none is traced. */
  trace: string | null;
}

interface LeaseOptions {
  /** Lives at most. */
  limit: number;
  /** Only rows at least this old; the sweep leaves younger ones to the process that committed them. */
  minimumAgeMs: number;
  /** The owner whose turn was the last, by priority: written here. Each delivery has its own. */
  turns: Map<number, string>;
}

/** Longest wait between two tries of one life. */
const MAX_BACKOFF_SECONDS = 30;
/** … of one that Temporal refuses, which a repetition seldom helps. */
const MAX_REFUSED_SECONDS = 3_600;

const LeasedRow = z.object({
  life: z.string(),
  ids: z.array(z.number()),
  priority: z.number(),
  owner: z.string(),
  trace: z.string().nullable(),
});
const CountRow = z.object({ count: z.number() });
const Nothing = z.object({});

/**
 * Leases up to `limit` lives that are to be delivered, in a statement that is a transaction of its own: money first, and among those of one
 * priority operators in turn. A process that dies then leaves them to others after 15 seconds; a call ends well before.
 */
export async function leaseLives(pool: CommonQueryMethods, { turns, ...options }: LeaseOptions): Promise<LeasedLife[]> {
  const after = Array.from({ length: Priority.last }, (_, at) => turns.get(at + 1) ?? '');
  const rows = await pool.any(sql.type(LeasedRow)`
    select life, ids, priority, owner, trace from lease_lives(${options.limit}, ${options.minimumAgeMs}, ${textArray(after)})`);
  for (const { priority, owner } of rows) turns.set(priority, owner);
  return rows.map(({ life, ids, trace }) => ({ life, ids, trace }));
}

const idsOf = (leased: LeasedLife[]) =>
  sql.array(
    leased.flatMap(({ ids }) => ids),
    'int8',
  );

/**
 * One row of each life that Temporal refused stays: it is due again after as long as the life has been refused for, at least a second and
 * at most an hour. What a refusal is about may pass (attributes that a namespace has lost), or a person may mend it.
 */
export async function postponeRefused(pool: CommonQueryMethods, leased: LeasedLife[], reason: string): Promise<void> {
  await pool.query(sql.type(Nothing)`
    with tried as (
      select id, life, (select min(l.refused_at) from lives l where l.life = lives.life) as refused_at from lives
      where not ready and epoch is null and attempts > 0 and life = any(${textArray(leased.map(({ life }) => life))})
    ), refused as (
      select min(id) as id, coalesce(min(refused_at), clock_timestamp()) as since from tried group by life
    ), others as (
      delete from lives where id in (select id from tried) and id not in (select id from refused)
    )
    update lives m
    set refused_at = since, failure = left(${reason}, 300),
        due_at = clock_timestamp() + least(greatest(clock_timestamp() - since, interval '1 second'), make_interval(secs => ${MAX_REFUSED_SECONDS}))
    from refused where m.id = refused.id`);
}

/** Due again after 1, 2, 4 … at most 30 seconds. */
export async function postponeLives(pool: CommonQueryMethods, leased: LeasedLife[], reason: string): Promise<void> {
  await pool.query(sql.type(Nothing)`
    update lives
    set failure = left(${reason}, 300),
        due_at = clock_timestamp() + least(power(2, least(attempts, 10) - 1), ${MAX_BACKOFF_SECONDS}::int) * interval '1 second'
    where id = any(${idsOf(leased)})`);
}

const TakenRow = z.object({ taken: z.array(z.string()), last_owner: z.string().nullable() });
type Taken = z.infer<typeof TakenRow>;

/** Takes lives that are due and nobody has looked at; where more are than `limit`, those of the owners behind `after`, in turn. @returns as `takeWaitingLives` */
export const takeDueLives = (
  pool: CommonQueryMethods,
  { limit, after }: { limit: number; after: string },
): Promise<Taken> => pool.one(sql.type(TakenRow)`select taken, last_owner from take_due_lives(${limit}, ${after})`);

/**
 * Takes lives of these kinds that have waited for their delivery for longer than `seconds`, of the owners behind `after`.
 * @returns `last_owner`: to go on behind; null where it came to the last
 */
export const takeWaitingLives = (
  pool: CommonQueryMethods,
  { kinds, seconds, limit, after }: { kinds: string[]; seconds: number; limit: number; after: string },
): Promise<Taken> =>
  pool.one(sql.type(TakenRow)`
    select taken, last_owner from take_waiting_lives(${textArray(kinds)}, ${seconds}, ${limit}, ${after})`);

/** Has these lives, which were taken, delivered now. */
export const deliverLives = (pool: CommonQueryMethods, lives: string[]): Promise<number> =>
  pool.oneFirst(sql.type(CountRow)`select deliver_lives(${textArray(lives)}) as count`);

/** Puts off these lives, which were taken, for a minute, and notes why. */
export async function putOffLives(pool: CommonQueryMethods, lives: string[], reason: string): Promise<void> {
  await pool.query(sql.type(Nothing)`
    select note_failed_look(life, ${reason}) from unnest(${textArray(lives)}) as life`);
}

/** How many lives are to be delivered, `limit` at most. */
export const countReadyLives = (pool: CommonQueryMethods, limit: number): Promise<number> =>
  pool.oneFirst(sql.type(CountRow)`select count(*)::int from (select from lives where ready limit ${limit}) ready`);

/** Has lives of another store looked at again, over as long as Temporal needs. @returns how many this time. */
export const adoptLives = (pool: CommonQueryMethods, limit: number): Promise<number> =>
  pool.oneFirst(sql.type(CountRow)`select adopt_lives(${limit}) as count`);
