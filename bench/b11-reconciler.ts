import pg from 'pg';
import { z } from 'zod';
import { openPool, sql } from '../src/database/pool.ts';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { quantile, table } from './pairs.ts';

const OPEN = 1_000_000;
const ROUNDS = 200;
/** Milliseconds of a round in which nothing is due. */
const GOAL = 20;
/** Rows of a batch. */
const DUE = 100;

const Nothing = z.object({});

/** Open invocations with their holds, and sessions that owe a report, of a hundred operators; their lives have seen them, and none is due soon. */
const fill = (rows: number): string[] => [
  // The service did not write these rows, so its triggers must not announce them.
  'set session_replication_role = replica',
  `insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, status, consumer_operator_id, provider_operator_id,
      price_cents, self_invocation, input, input_hash, created_at, expires_at, life_seen_at, life_epoch, look_at)
    select 'inv_' || lpad(n::text, 26, '0'), 'skl_bench', 1, '1.0.0', 'open', 'pending', 'op_consumer_' || n % 100, 'op_provider', 1, false, '{}',
      'hash', now() - n * interval '1 millisecond', now() + interval '1 day', now(), 1, now() + interval '1 day' + n * interval '1 millisecond'
    from generate_series(1, ${rows}) n`,
  `insert into wallets (operator_id, posted_cents, held_cents)
    select 'op_consumer_' || n, ${rows}, ${rows / 100} from generate_series(0, 99) n`,
  `insert into holds (id, operator_id, amount_cents, cause, created_at)
    select 'hld_' || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, 1, 'inv_' || lpad(n::text, 26, '0'), now() - n * interval '1 millisecond'
    from generate_series(1, ${rows}) n`,
  `insert into passport_sessions (id, operator_id, started_at, life_seen_at, life_epoch, look_at)
    select 'ses_' || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, now() - interval '1 minute', now(), 1,
      now() + interval '1 hour' + n * interval '1 millisecond'
    from generate_series(1, ${rows}) n`,
  `insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, checkpoint_interval_seconds,
      started_at, latest_expiry, next_checkpoint_due_at)
    select 'psp_' || lpad(n::text, 26, '0'), 'ses_' || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, 'ag_bench', 'ag_bench', 0, 'enforced', 3600,
      now() - interval '1 minute', now() + interval '1 day', now() + interval '1 hour'
    from generate_series(1, ${rows}) n`,
  'vacuum analyze',
];

async function measure(lab: Lab): Promise<string[]> {
  const rows = lab.quick ? OPEN / 50 : OPEN;
  const rounds = lab.quick ? 10 : ROUNDS;
  const { databaseUrl } = await lab.newWorld('b11');
  lab.log(`filling ${rows} open invocations and sessions`);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const statement of fill(rows)) await client.query(statement);
  await client.end();
  const pool = await openPool(databaseUrl, { size: 1, applicationName: 'bench' });
  const timesOf = async (count: number, round: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const before = performance.now();
      await round();
      times.push(performance.now() - before);
    }
    return times;
  };
  // As reconcileInvocations() and reconcileSessions() do it.
  const invocations = async (): Promise<void> => {
    await pool.query(sql.type(Nothing)`select from reconcile_invocations()`);
    await pool.query(sql.type(Nothing)`select wake_invocations_of_other_store()`);
    await pool.query(sql.type(Nothing)`select release_orphaned_holds()`);
  };
  const sessions = async (): Promise<void> => {
    await pool.query(sql.type(Nothing)`select from reconcile_sessions(900)`);
    await pool.query(sql.type(Nothing)`select wake_sessions_of_other_store()`);
  };
  await timesOf(5, invocations);
  await timesOf(5, sessions);
  const idle = await timesOf(rounds, invocations);
  const idleSessions = await timesOf(rounds, sessions);
  const floor = await timesOf(rounds, () => pool.query(sql.type(Nothing)`select 1`));
  // Each time a hundred rows have lost their message, and are woken.
  const due = await timesOf(lab.quick ? 2 : 20, async () => {
    await pool.query(sql.type(Nothing)`
      update invocations set life_epoch = null, look_at = now() where id = any(array(
        select id from invocations where status in ('pending', 'processing') and life_epoch = 1 order by look_at limit ${DUE}))`);
    await invocations();
  });
  await pool.end();
  const cells = (times: number[]): string[] => [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(2));
  const goal = (times: number[]): string => `${GOAL} ${quantile(times, 0.99) <= GOAL ? 'reached' : 'missed'}`;
  return [
    table(
      [
        `${rows.toLocaleString('en-US')} open invocations and as many sessions, milliseconds`,
        'median',
        'p99',
        'most',
        'goal of p99',
      ],
      [
        ['a round of invocations, nothing due', ...cells(idle), goal(idle)],
        ['a round of sessions, nothing due', ...cells(idleSessions), goal(idleSessions)],
        [`a round of invocations, ${DUE} due, with making them so`, ...cells(due), ''],
        ['a statement that does nothing', ...cells(floor), ''],
      ],
    ),
  ];
}

/** Measures what the reconciler costs while a million invocations are open. */
export const b11: Bench = {
  title: 'B11: a round of the reconciler',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
