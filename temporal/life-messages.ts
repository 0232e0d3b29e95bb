import { z } from 'zod';
import { sql, type DatabasePool } from '../src/database/pool.ts';

/** Messages of one life, leased together: one signal stands for them all. */
export interface LeasedLife {
  life: string;
  messageIds: number[];
  /** How often they were tried, this time included. */
  attempts: number;
}

interface LeaseOptions {
  kinds: string[];
  /** Lives at most. */
  limit: number;
  /** Only messages at least this old; the sweep leaves younger ones to the process that committed them. */
  minimumAgeMs: number;
}

/** A process that dies between lease and delete leaves the messages to others after this long. A call ends well before. */
const LEASE = '15 seconds';
/** Longest wait between two tries of one life. */
const MAX_BACKOFF_SECONDS = 30;

const LeasedRow = z.object({ life: z.string(), message_ids: z.array(z.number()), attempts: z.number() });
const Nothing = z.object({});

/**
 * Leases the due messages of up to `limit` lives, in a statement that is a transaction of its own. A life is taken by its oldest
 * message, which is one row, so two processes never take one life at once. Ids are not in the order of commits: what is
 * deleted afterwards is exactly what was seen here.
 */
export async function leaseLives(pool: DatabasePool, options: LeaseOptions): Promise<LeasedLife[]> {
  const rows = await pool.any(sql.type(LeasedRow)`
    with oldest as (
      select id from life_messages as message
      where not parked
        and next_attempt_at <= clock_timestamp()
        and created_at <= clock_timestamp() - ${options.minimumAgeMs}::int * interval '1 millisecond'
        and (lease_until is null or lease_until <= clock_timestamp())
        and split_part(life, ':', 1) = any(${sql.array(options.kinds, 'text')})
        and not exists (
          select from life_messages as older
          where older.life = message.life and older.id < message.id and not older.parked)
      order by next_attempt_at
      limit ${options.limit}::int
      for update skip locked
    ), leased as (
      update life_messages as message
      set lease_until = clock_timestamp() + ${LEASE}::interval, attempts = message.attempts + 1
      from oldest where message.id = oldest.id
      returning message.life, message.attempts
    )
    select leased.life, leased.attempts,
      (select array_agg(id) from life_messages as one where one.life = leased.life and not one.parked) as message_ids
    from leased`);
  return rows.map((row) => ({ life: row.life, messageIds: row.message_ids, attempts: row.attempts }));
}

const idsOf = (leased: LeasedLife[]): number[] => leased.flatMap(({ messageIds }) => messageIds);

export async function deleteMessages(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`delete from life_messages where id = any(${sql.array(idsOf(leased), 'int8')})`);
}

/** For messages no repetition would help: they stay for a person to see, and bother nobody. */
export async function parkMessages(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`
    update life_messages set parked = true, lease_until = null where id = any(${sql.array(idsOf(leased), 'int8')})`);
}

/** Back to the heap, due again after 1, 2, 4 … at most 30 seconds. */
export async function postponeMessages(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`
    update life_messages
    set lease_until = null,
        next_attempt_at = clock_timestamp() + least(power(2, least(attempts, 10) - 1), ${MAX_BACKOFF_SECONDS}::int) * interval '1 second'
    where id = any(${sql.array(idsOf(leased), 'int8')})`);
}
