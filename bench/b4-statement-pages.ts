import pg from 'pg';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { hammer, loadTool } from './load.ts';
import { inTurns, ratioCells, rates, table } from './pairs.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

const ROWS = 1_000_000;
/** Pages of 200 that are read before the later page is measured. */
const DEEP = 500;
const AT_MOST = 1 / 1.5;

/** Twelve of twenty rows are overage, seven paid invocations and one a top-up; after every tenth comes a call that is included. */
const fill = (rows: number): string[] => [
  // The service did not write these rows, so its triggers must not announce them.
  'set session_replication_role = replica',
  `insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, status, consumer_operator_id, provider_operator_id,
      price_cents, self_invocation, input, input_hash, output, output_hash, created_at, completed_at, expires_at)
    select 'inv_' || lpad(n::text, 26, '0'), w.skill, 1, '1.0.0', 'open', 'completed', w.consumer, w.provider, 1, false, '{}', 'hash', '{}', 'hash',
      now(), now(), now() from bench_world w, generate_series(0, 9999) n`,
  `insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, meter, meter_from_cents, description, skill_id,
      invocation_id, created_at)
    select 'txn_' || lpad(n::text, 26, '0'), case kind when 'topup' then 'platform:payments' else 'wallet:' || w.consumer end,
      case kind when 'topup' then 'wallet:' || w.consumer when 'invocation' then 'earnings:' || w.provider else 'platform:metering' end,
      case kind when 'topup' then 1000 else 1 end, kind, 'bench:' || n, n, case kind when 'overage' then 'metered_action' end,
      case kind when 'overage' then n end, case kind when 'topup' then 'Top-up' when 'invocation' then 'summarise-text' else 'Metered actions' end,
      case kind when 'invocation' then w.skill end, case kind when 'invocation' then 'inv_' || lpad((n % 10000)::text, 26, '0') end,
      timestamptz '2026-01-01' + n * interval '1 second'
    from bench_world w, lateral (
      select n, case when n % 20 < 12 then 'overage' when n % 20 < 19 then 'invocation' else 'topup' end as kind from generate_series(2, ${rows}) n) r`,
  `insert into model_calls (id, operator_id, position, call, created_at, operation, provider, model, prompt_tokens, completion_tokens, total_tokens,
      streaming, price_state, cost_microcents)
    select 'llm_' || lpad(n::text, 26, '0'), w.consumer, n * 10, n, timestamptz '2026-01-01' + n * interval '10 seconds', 'l3_classification',
      'openai', 'gpt-5-mini', 900, 100, 1000, false, 'included', 20000 from bench_world w, generate_series(1, ${rows / 10}) n`,
  `update wallets set last_position = ${rows}, last_call = ${rows / 10} from bench_world w where operator_id = w.consumer`,
  'vacuum analyze',
];

async function fillWallet({ databaseUrl, skillId, provider, consumer }: World, rows: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('create temporary table bench_world (skill text, consumer text, provider text)');
  await client.query('insert into bench_world values ($1, $2, $3)', [
    skillId,
    consumer.operatorId,
    provider.operatorId,
  ]);
  for (const statement of fill(rows)) await client.query(statement);
  await client.end();
}

/** The path of the page that follows `pages` others of 200 rows. */
async function laterPage(
  { origin }: Server,
  { headers, view, pages }: { headers: Record<string, string>; view: string; pages: number },
): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const response = await fetch(`${origin}/v1/billing/transactions?${view}limit=200${cursor}`, { headers });
    const { next_cursor: next } = (await response.json()) as { next_cursor: string | null };
    if (next === null) break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return `/v1/billing/transactions?${view}${cursor.slice(1)}`;
}

async function measure(lab: Lab): Promise<string> {
  const world = await lab.newWorld('b4_pages');
  const rows = lab.quick ? ROWS / 50 : ROWS;
  lab.log(`filling a wallet with ${rows} rows`);
  await fillWallet(world, rows);
  const carnet = await lab.start('carnet', { databaseUrl: world.databaseUrl, roles: { api: true, worker: false } });
  const bare = await lab.start('bare-pages', { databaseUrl: world.databaseUrl, operatorId: world.consumer.operatorId });
  const headers = { authorization: `Bearer ${world.consumer.key}` };
  const cells: string[][] = [];
  for (const [name, view, floor] of [
    ['statement', '', '/statement'],
    ['timeline', 'view=timeline&', '/timeline'],
  ] as const) {
    const get = (url: string, seconds: number) => hammer({ method: 'GET', url, headers }, seconds, lab.dataDir);
    const first = `${carnet.origin}/v1/billing/transactions?${view}`;
    const later = carnet.origin + (await laterPage(carnet, { headers, view, pages: lab.quick ? 5 : DEEP }));
    for (const url of [first, later, bare.origin + floor]) await get(url, lab.seconds(3));
    const by = await inTurns(
      lab.rounds,
      {
        first: () => get(first, lab.seconds(5)),
        floor: () => get(bare.origin + floor, lab.seconds(5)),
        later: () => get(later, lab.seconds(5)),
      },
      (line) => lab.log(`${name}, ${line}`),
    );
    cells.push(
      [
        `${name}, first page of 50`,
        rates(by.first),
        'node:http and pg',
        rates(by.floor),
        ...ratioCells(by.first, by.floor, AT_MOST),
      ],
      [
        `${name}, a page ${DEEP * 200} rows later`,
        rates(by.later),
        'the first page',
        rates(by.first),
        ...ratioCells(by.later, by.first, 1),
      ],
    );
  }
  const head = [
    `A wallet of ${rows.toLocaleString('en-US')} rows, ${loadTool}, 32 connections`,
    'Carnet, a second',
    'against',
    'a second',
    'ratio (spread of the pairs)',
    'goal',
  ];
  return table(head, cells);
}

/** Measures what snapshot, cursors, provenance and the shell cost above the bare indexed query. */
export const b4Pages: Bench = {
  title: 'B4 pages: statement and timeline of a wallet with a million rows',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
