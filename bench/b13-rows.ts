import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { median, table } from './pairs.ts';
import type { World } from './world.ts';

/** Rows of each table. */
const SIZES = [10_000, 100_000, 1_000_000];
const CALLS = 9;

/** Half of all rows are of one consumer and one provider: the worst case of a busy operator. The others are of a thousand operators. */
const fill = (rows: number): string[] => [
  // The service did not write these rows, so its triggers must not announce them.
  'set session_replication_role = replica',
  `insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, status, consumer_operator_id, provider_operator_id,
      price_cents, self_invocation, input, input_hash, output, output_hash, created_at, completed_at, expires_at, followed_up)
    select 'inv_' || lpad(n::text, 26, '0'), w.skill, 1, '1.0.0', 'open', 'completed', case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end,
      case when n % 2 = 0 then w.provider else 'op_' || (n + 1) % 1000 end, 1, false, '{}', 'hash', '{}', 'hash', at, at, at, true
    from bench_world w, lateral (select n, now() - interval '1 day' - n * interval '1 second' as at from generate_series(1, ${rows}) n) r`,
  `insert into holds (id, operator_id, amount_cents, cause, status, created_at, closed_at)
    select 'hld_' || lpad(n::text, 26, '0'), case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end, 1, 'inv_' || lpad(n::text, 26, '0'),
      'captured', now() - n * interval '1 second', now()
    from bench_world w, generate_series(1, ${rows}) n`,
  `insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description, skill_id, invocation_id, created_at)
    select 'txn_' || lpad(n::text, 26, '0'), 'wallet:' || case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end, 'earnings:' || w.provider, 1,
      'invocation', 'inv_' || lpad(n::text, 26, '0'), n, 'summarise-text', w.skill, 'inv_' || lpad(n::text, 26, '0'),
      now() - interval '1 day' - (${rows} - n) * interval '1 second'
    from bench_world w, generate_series(2, ${rows}) n`,
  `insert into audit_events (operator_id, actor, action, target, created_at)
    select case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end, 'bench', 'invocation.created', 'inv_' || lpad(n::text, 26, '0'),
      now() - interval '1 day' - (${rows} - n) * interval '1 second'
    from bench_world w, generate_series(1, ${rows}) n`,
  `insert into claims (id, digest, issuer, operator_ids, subject, claim_type, claim_version, envelope, schema, submitter, issued_at_ms)
    select 'pc_' || lpad(n::text, 26, '0'), 'digest' || n, case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end,
      array[case when n % 2 = 0 then w.consumer else 'op_' || n % 1000 end], 'carnet://bench/' || n, 'behavioral_genome', 1, '{}', 'none', 'service',
      (extract(epoch from now()) * 1000)::bigint - n
    from bench_world w, generate_series(1, ${rows}) n`,
  `update wallets set last_position = ${rows} from bench_world w where operator_id = w.consumer`,
  'set session_replication_role = default',
  'vacuum analyze',
];

/** Every statement of the service is explained in the log of Postgres from here on. */
const explain = (name: string): string[] =>
  [
    ['session_preload_libraries', 'auto_explain'],
    ['auto_explain.log_min_duration', '0'],
    ['auto_explain.log_analyze', 'on'],
    ['auto_explain.log_timing', 'off'],
    ['auto_explain.log_buffers', 'on'],
  ].map(([setting, value]) => `alter database ${name} set ${setting} = '${value}'`);

interface Calls {
  world: World;
  origin: string;
}

/** Sends one request. @throws Error where it is refused */
async function send<Answer>(
  origin: string,
  { method, path, key, body }: { method: string; path: string; key: string; body?: object },
): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The calls by name; each is sent again and again. `before` is not counted. */
const callsOf = ({ world: { skillId, consumer, provider }, origin }: Calls) => {
  const post = <Answer = { id: string }>(path: string, key: string, body: object = {}): Promise<Answer> =>
    send<Answer>(origin, { method: 'POST', path, key, body });
  const get = (path: string, key: string) => send(origin, { method: 'GET', path, key });
  const invoke = () => post(`/v1/skills/${skillId}/invoke`, consumer.key, { input: { text: 'a text' } });
  const one = (nth: number): string => `inv_${String(nth * 2 + 1000).padStart(26, '0')}`;
  return {
    invoke: { counted: invoke },
    claim: {
      before: invoke,
      counted: ({ id }: { id: string }) => post(`/v1/skills/invocations/${id}/claim`, provider.key),
    },
    complete: {
      before: async () => {
        const made = await invoke();
        await post(`/v1/skills/invocations/${made.id}/claim`, provider.key);
        return made;
      },
      counted: ({ id }: { id: string }) =>
        post(`/v1/skills/invocations/${id}/complete`, provider.key, { output: { text: 'a text' } }),
    },
    'read an invocation': {
      counted: (_: unknown, nth: number) => get(`/v1/skills/invocations/${one(nth)}`, consumer.key),
    },
    'list of mine': { counted: () => get('/v1/skills/invocations/mine?limit=50', consumer.key) },
    'list of mine, a status that none has': {
      counted: () => get('/v1/skills/invocations/mine?status=failed&limit=50', consumer.key),
    },
    'page of the audit trail': { counted: () => get('/v1/audit-events?limit=50', consumer.key) },
    'list of claims': { counted: () => get('/v1/claims?limit=50', consumer.key) },
    'statement, newest page': { counted: () => get('/v1/billing/transactions?limit=50', consumer.key) },
  } satisfies Record<
    string,
    {
      before?: () => Promise<{ id: string }>;
      counted: (made: { id: string }, nth: number) => Promise<unknown>;
    }
  >;
};

/** The blocks of the statements that were explained in this text: the first line about buffers of each plan has those below it in it. */
function blocksIn(log: string): number {
  let blocks = 0;
  let isFirst = false;
  for (const line of log.split('\n')) {
    if (/duration: .* plan:/.test(line)) isFirst = true;
    else if (isFirst && /^\s+Buffers: /.test(line)) {
      for (const [, count] of line.matchAll(/(?:hit|read)=(\d+)/g)) blocks += Number(count);
      isFirst = false;
    }
  }
  return blocks;
}

/** Fills the tables that grow. @param then further statements */
export async function fillRows(
  { databaseUrl, skillId, consumer, provider }: World,
  { rows, then = [] }: { rows: number; then?: readonly string[] },
): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('create temporary table bench_world (skill text, consumer text, provider text)');
    const ids = [skillId, consumer.operatorId, provider.operatorId];
    await client.query('insert into bench_world values ($1, $2, $3)', ids);
    for (const statement of [...fill(rows), ...then]) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function measureSize(lab: Lab, rows: number): Promise<Map<string, number>> {
  const name = `b13_${rows}`;
  const world = await lab.newWorld(name);
  lab.log(`filling ${rows} rows of each table`);
  await fillRows(world, { rows, then: explain(name) });
  const { origin, stop } = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const log = join(lab.dataDir, 'postgres', 'logs', 'postgres.log');
  const blocks = new Map<string, number>();
  for (const [what, call] of Object.entries(callsOf({ world, origin }))) {
    const counts: number[] = [];
    for (let nth = 0; nth < CALLS * 2; nth += 1) {
      const made = 'before' in call ? await call.before() : { id: '' };
      const from = readFileSync(log).length;
      await call.counted(made, nth);
      counts.push(blocksIn(readFileSync(log).subarray(from).toString('utf8')));
    }
    blocks.set(what, median(counts.slice(CALLS))); // the first ones warm connections and caches up
  }
  await stop();
  return blocks;
}

async function measure(lab: Lab): Promise<string> {
  const sizes = lab.quick ? SIZES.slice(0, 1) : SIZES;
  const bySize: Map<string, number>[] = [];
  for (const rows of sizes) bySize.push(await measureSize(lab, rows));
  return table(
    ['blocks of 8 KiB, median of nine', ...sizes.map((rows) => `${rows.toLocaleString('en-US')} rows`)],
    [...(bySize[0]?.keys() ?? [])].map((what) => [what, ...bySize.map((blocks) => String(blocks.get(what) ?? ''))]),
  );
}

/** Counts the blocks that a call touches while its tables grow. */
export const b13: Bench = {
  title: 'B13: blocks that a call touches while tables grow',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
