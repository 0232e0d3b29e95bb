import pg from 'pg';
import { z } from 'zod';
import { textArray } from '../src/database/columns.ts';
import { openPool, sql } from '../src/database/pool.ts';
import { adoptLives, takeDueLives, takeWaitingLives } from '../temporal/lives-table.ts';
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
      price_cents, self_invocation, input, input_hash, created_at, expires_at)
    select 'inv_' || lpad(n::text, 26, '0'), 'skl_bench', 1, '1.0.0', 'open', 'pending', 'op_consumer_' || n % 100, 'op_provider', 1, false, '{}',
      'hash', now() - n * interval '1 millisecond', now() + interval '1 day'
    from generate_series(1, ${rows}) n`,
  `insert into wallets (operator_id, posted_cents, held_cents)
    select 'op_consumer_' || n, ${rows}, ${rows / 100} from generate_series(0, 99) n`,
  `insert into holds (id, operator_id, amount_cents, cause, created_at)
    select 'hld_' || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, 1, 'inv_' || lpad(n::text, 26, '0'), now() - n * interval '1 millisecond'
    from generate_series(1, ${rows}) n`,
  `insert into lives (life, owner, due_at, ready, epoch)
    select kind || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, now() + interval '1 hour' + n * interval '1 millisecond', false, 1
    from generate_series(1, ${rows}) n, (values ('invocation:inv_'), ('session:ses_')) kinds (kind)`,
  `insert into passport_sessions (id, operator_id, started_at)
    select 'ses_' || lpad(n::text, 26, '0'), 'op_consumer_' || n % 100, now() - interval '1 minute'
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
  // As a round of temporal/due-lives.ts does it.
  const look = async (): Promise<void> => {
    const { taken: due } = await takeDueLives(pool, { limit: DUE, after: '' });
    if (due.length > 0)
      await pool.query(sql.type(Nothing)`select from look_at_invocations(${textArray([...due])}, true)`);
    await takeWaitingLives(pool, { kinds: ['invocation', 'session'], seconds: 3, limit: DUE, after: '' });
    await adoptLives(pool, 2_000);
  };
  const holds = (): Promise<unknown> => pool.query(sql.type(Nothing)`select release_orphaned_holds()`);
  await timesOf(5, look);
  await timesOf(5, holds);
  const idle = await timesOf(rounds, look);
  const idleHolds = await timesOf(rounds, holds);
  const floor = await timesOf(rounds, () => pool.query(sql.type(Nothing)`select 1`));
  // Each time a hundred rows have lost their run, and are looked at and woken.
  const due = await timesOf(lab.quick ? 2 : 20, async () => {
    await pool.query(sql.type(Nothing)`
      update lives set due_at = now() - interval '1 second' where id = any(array(
        select id from lives where not ready and epoch = 1 and life like 'invocation:%' order by due_at limit ${DUE}))`);
    await look();
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
        ['a round, nothing due', ...cells(idle), goal(idle)],
        ['a walk over holds', ...cells(idleHolds), goal(idleHolds)],
        [`a round, ${DUE} invocations due, with making them so`, ...cells(due), ''],
        ['a statement that does nothing', ...cells(floor), ''],
      ],
    ),
  ];
}

/** Measures what looking after lives costs while a million invocations are open. */
export const b11: Bench = {
  title: 'B11: a round of looking after lives',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
