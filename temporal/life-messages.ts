import { z } from 'zod';
import { textArray } from '../src/database/columns.ts';
import { sql, type CommonQueryMethods, type DatabasePool } from '../src/database/pool.ts';
import { Priority } from './lives.ts';

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
  /** The owner whose turn was the last, by priority: written here. Each delivery has its own. */
  turns: Map<number, string>;
}

/** Longest wait between two tries of one life. */
const MAX_BACKOFF_SECONDS = 30;
/** … of one that Temporal refuses, which a repetition seldom helps. */
const MAX_REFUSED_SECONDS = 3_600;

const LeasedRow = z.object({
  life: z.string(),
  message_ids: z.array(z.number()),
  attempts: z.number(),
  priority: z.number(),
  owner: z.string(),
});
const Nothing = z.object({});

/**
 * Leases the due messages of up to `limit` lives for 15 seconds, in a statement that is a transaction of its own: money first, and
 * among those of one priority operators in turn. A process that dies then leaves them to others; a call ends well before.
 */
export async function leaseLives(pool: CommonQueryMethods, { turns, ...options }: LeaseOptions): Promise<LeasedLife[]> {
  const after = Array.from({ length: Priority.last }, (_, at) => turns.get(at + 1) ?? '');
  const rows = await pool.any(sql.type(LeasedRow)`
    select * from lease_lives(${textArray(options.kinds)}, ${options.limit}, ${options.minimumAgeMs}, ${textArray(after)})`);
  for (const { priority, owner } of rows) turns.set(priority, owner);
  return rows.map((row) => ({ life: row.life, messageIds: row.message_ids, attempts: row.attempts }));
}

const idsOf = (leased: LeasedLife[]): number[] => leased.flatMap(({ messageIds }) => messageIds);

export async function deleteMessages(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`delete from life_messages where id = any(${sql.array(idsOf(leased), 'int8')})`);
}

/**
 * One message of each life that Temporal refused stays: it is due again after as long as the life has been refused for, at least a
 * second and at most an hour. What a refusal is about may pass (attributes that a namespace has lost), or a person may mend it.
 */
export async function postponeRefused(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`
    with refused as (
      select min(id) as id, coalesce(min(refused_at), clock_timestamp()) as since
      from life_messages where id = any(${sql.array(idsOf(leased), 'int8')}) group by life
    ), others as (
      delete from life_messages m where id = any(${sql.array(idsOf(leased), 'int8')}) and not exists (select from refused where refused.id = m.id)
    )
    update life_messages m
    set refused_at = since, lease_until = null,
        next_attempt_at = clock_timestamp()
          + least(greatest(clock_timestamp() - since, interval '1 second'), make_interval(secs => ${MAX_REFUSED_SECONDS}))
    from refused where m.id = refused.id`);
}

/** Back to the heap, due again after 1, 2, 4 … at most 30 seconds. */
export async function postponeMessages(pool: DatabasePool, leased: LeasedLife[]): Promise<void> {
  await pool.query(sql.type(Nothing)`
    update life_messages
    set lease_until = null,
        next_attempt_at = clock_timestamp() + least(power(2, least(attempts, 10) - 1), ${MAX_BACKOFF_SECONDS}::int) * interval '1 second'
    where id = any(${sql.array(idsOf(leased), 'int8')})`);
}
