import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../src/ids/ids.ts';

/** Seconds between two checkpoints. */
export const INTERVAL = 300;
/** Polling is slow because it uses the core of Postgres and Temporal; the measured times are those in the rows. */
const POLL_MS = 500;

interface SessionsOptions {
  databaseUrl: string;
  /** Makes the service deliver messages that were written without its API. */
  deliver(): Promise<unknown>;
}

/** Seconds that one part of the run may take. */
const MAX_WAIT_SECONDS = 900;

/** Writes enforced sessions without the API, with the deadlines that the bench wants, and reads the results from the rows. */
export async function openSessions({ databaseUrl, deliver }: SessionsOptions) {
  const database = new pg.Client(databaseUrl);
  await database.connect();
  const [operator, agent] = [newId('op'), newId('ag')];
  await database.query(
    `insert into operators (id, name, email, tier) values ($1, 'bench', 'bench@carnet.invalid', 'enterprise')`,
    [operator],
  );
  await database.query(
    `insert into agents (id, operator_id, name, accountability) values ($1, $2, 'bench', 'enforced')`,
    [agent, operator],
  );

  const until = async (what: string, statement: string, values: unknown[] = []): Promise<void> => {
    const deadline = performance.now() + MAX_WAIT_SECONDS * 1_000;
    for (;;) {
      const { rows } = await database.query<{ done: boolean }>(statement, values);
      if (rows[0]?.done === true) return;
      if (performance.now() > deadline) throw new Error(`Waited ${MAX_WAIT_SECONDS} s in vain for ${what}.`);
      await pause(POLL_MS);
    }
  };

  return {
    /** Sessions with their messages; their first deadlines are spread evenly over `window` seconds, from `lead` seconds on. */
    async write(count: number, { lead, window }: { lead: number; window: number }): Promise<void> {
      await database.query('begin');
      await database.query(
        `with made as (
          select 'ses_B' || lpad(n::text, 25, '0') as session, 'psp_B' || lpad(n::text, 25, '0') as jti, clock_timestamp() as now,
            make_interval(secs => $3::float8 + $4::float8 * n / $5::float8) as first
          from generate_series(0, $5::int - 1) as n
        ), sessions as (
          insert into passport_sessions (id, operator_id, started_at) select session, $1, now from made
        ), lineages as (
          insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability,
            checkpoint_interval_seconds, started_at, latest_expiry, next_checkpoint_due_at)
          select jti, session, $1, $2, $2, 0, 'enforced', ${INTERVAL}, now, now + interval '12 hours', now + first - checkpoint_grace(${INTERVAL})
          from made
        ), messages as (
          insert into lives (life, owner, due_at) select 'session:' || session, $1, now + message_delay() from made
        )
        insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day, status_index)
        select jti, jti, session, $1, $2, 0, 'bench', now, now + interval '1 hour', '{}', current_date, 0 from made`,
        [operator, agent, lead, window, count],
      );
      await database.query('commit');
      await database.query('analyze');
      await deliver();
    },
    /** @returns seconds until every life has done its first step. */
    async started(): Promise<number> {
      const startedAt = performance.now();
      await until(
        'the first steps of all lives',
        "select not exists (select from lives where life like 'session:%' and epoch is null) as done",
      );
      return (performance.now() - startedAt) / 1_000;
    },
    async missed(count: number): Promise<void> {
      await until(`${count} missed checkpoints`, 'select count(*) >= $1 as done from passport_flags', [count]);
    },
    /** Milliseconds from each deadline to its flag. */
    async lateness(): Promise<number[]> {
      const { rows } = await database.query<{ late: number }>(`
        select extract(epoch from raised_at - (occasion::timestamptz + checkpoint_grace(${INTERVAL})))::float8 * 1000 as late
        from passport_flags where type = 'missed_checkpoint' order by id`);
      return rows.map(({ late }) => late);
    },
    /** Wakes the sessions whose lives have been idle longest. @returns seconds until all of them have read their rows. */
    async wakeOldest(count: number): Promise<number> {
      const { rows } = await database.query<{ id: string }>(
        "select split_part(life, ':', 2) as id from lives where life like 'session:%' and epoch is not null order by created_at limit $1",
        [count],
      );
      const ids = rows.map(({ id }) => id);
      const { rows: clock } = await database.query<{ now: string }>('select clock_timestamp()::text as now');
      const startedAt = performance.now();
      await database.query(
        `insert into lives (life, due_at) select 'session:' || id, clock_timestamp() from unnest($1::text[]) as id`,
        [ids],
      );
      await deliver();
      await until(
        'the evicted lives',
        "select bool_and(created_at > $2::timestamptz) as done from lives where life = any(select 'session:' || id from unnest($1::text[]) as id)",
        [ids, clock[0]?.now],
      );
      return (performance.now() - startedAt) / 1_000;
    },
    close: () => database.end(),
  };
}
