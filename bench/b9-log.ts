import { setTimeout as pause } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { appendBatch, publishLog } from '../src/claims/log/append.ts';
import { openedLogOf, signCheckpoint } from '../src/claims/log/log-key.ts';
import { grow, hashOfLeaf, nodesOf } from '../src/claims/log/merkle.ts';
import { consistencyOf, inclusionOf } from '../src/claims/log/proofs.ts';
import { insertBatch, readNodes } from '../src/claims/log/queries.ts';
import type { Context } from '../src/context/context.ts';
import { sql } from '../src/database/pool.ts';
import { openContext } from '../src/process/open-context.ts';
import type { Bench } from './bench.ts';
import { configOf } from './config.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { quantile, rate, table } from './pairs.ts';

/** Leaves of the trees that are compared: the cost of a batch and of a proof must not depend on them. */
const SIZES = [10_000, 1_000_000, 10_000_000];
/** Leaves that are put into the tree at once while it is filled. */
const FILL = 20_000;
/** Claims that wait, and are appended. */
const WAITING = 20_000;
const PROOFS = 1_000;
/** Claims a second to append, milliseconds of a proof of inclusion at p99, and milliseconds to a receipt at half of that rate at p99. */
const APPEND_GOAL = 2_000;
const PROOF_GOAL = 2;
const RECEIPT_GOAL = 1_000;

const Nothing = z.object({});
const Millisecond = z.object({ ms: z.number() });
const Seqs = z.object({ seq: z.number() });
const Count = z.object({ count: z.number() });

/** Lets leaves wait that are no claims: of a claim the log knows the id and the hash. */
const wait = ({ pool }: Context, from: number, count: number) =>
  pool.anyFirst(sql.type(Seqs)`
    insert into log_pending (claim_id, leaf_hash)
    select 'pc_bench_' || n, sha256(convert_to(n::text, 'UTF8')) from generate_series(${from}::bigint, ${from + count - 1}::bigint) n
    returning seq`);

/** Fills the tree up to a size, by large batches without publishing each. */
async function fill(context: Context, from: number, to: number): Promise<void> {
  const log = await openedLogOf(context);
  for (let size = from; size < to;) {
    const count = Math.min(FILL, to - size);
    const seqs = await wait(context, size, count);
    const leaves = Array.from({ length: count }, (_, at) => hashOfLeaf(Buffer.from(`${size + at}`)));
    const grown = grow(size, leaves, await readNodes(context.pool, nodesOf({ from: 0, to: size })));
    await insertBatch(context.pool, {
      size,
      seqs: seqs.toSorted((one, other) => one - other),
      nodes: Buffer.concat(grown.levels.flat()),
      root: grown.root,
      note: signCheckpoint(log, grown),
      registry: 'https://bench.example.com',
    });
    size = grown.size;
  }
  await publishLog(context);
  await context.pool.query(sql.unsafe`vacuum analyze log_nodes, log_entries, log_pending, log_checkpoints`);
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const before = performance.now();
    await work();
    times.push(performance.now() - before);
  }
  return times;
}

/** One row a size of the tree. */
async function measureTrees(lab: Lab): Promise<string[][]> {
  const { databaseUrl } = await lab.newWorld('b9_log');
  const context = await openContext(configOf({ databaseUrl }), pino({ level: 'silent' }), {
    messagesCommitted() {},
    async begin() {},
    async ready() {},
  });
  lab.onClose(() => context.close());
  await openedLogOf(context);
  const rows: string[][] = [];
  let size = 0;
  for (const wanted of lab.quick ? [1_000, 10_000] : SIZES) {
    lab.log(`filling a tree of ${wanted} leaves`);
    await fill(context, size, wanted);
    const waiting = lab.quick ? 2_000 : WAITING;
    await wait(context, wanted, waiting);
    const before = performance.now();
    while ((await appendBatch(context)) !== 0) await publishLog(context);
    const perSecond = (waiting * 1_000) / (performance.now() - before);
    size = wanted + waiting;
    const proofs = lab.quick ? 100 : PROOFS;
    const inclusion = await timesOf(proofs, () => inclusionOf(context.pool, `pc_bench_${randomInt(size)}`));
    const consistency = await timesOf(proofs, () => consistencyOf(context.pool, randomInt(1, size), size));
    const p99 = quantile(inclusion, 0.99);
    rows.push([
      wanted.toLocaleString('en-US'),
      rate(perSecond),
      `${APPEND_GOAL} ${perSecond >= APPEND_GOAL ? 'reached' : 'missed'}`,
      ...[quantile(inclusion, 0.5), p99].map((ms) => ms.toFixed(2)),
      `${PROOF_GOAL} ${p99 <= PROOF_GOAL ? 'reached' : 'missed'}`,
      ...[0.5, 0.99].map((share) => quantile(consistency, share).toFixed(2)),
    ]);
  }
  return rows;
}

/** Claims of the service, committed at a steady rate beside a whole worker, and how long each waits for its receipt. */
async function measureReceipts(lab: Lab): Promise<string[]> {
  const temporalAddress = await lab.temporalAddress();
  const { databaseUrl } = await lab.newWorld('b9_receipts');
  await lab.start('carnet', { databaseUrl, temporalAddress, roles: { api: true, worker: true } });
  const context = await openContext(configOf({ databaseUrl, temporalAddress }), pino({ level: 'silent' }), {
    messagesCommitted() {},
    async begin() {},
    async ready() {},
  });
  lab.onClose(() => context.close());
  const perSecond = APPEND_GOAL / 2;
  const everyMs = 20;
  const seconds = lab.quick ? 2 : 30;
  const begun = performance.now();
  let recorded = 0;
  while (performance.now() - begun < seconds * 1_000) {
    const due = Math.floor(((performance.now() - begun) * perSecond) / 1_000) - recorded;
    await context.pool.query(sql.type(Nothing)`
      select issue_claim('mission', 'carnet://agent/ag_1', '{"number":' || n || '}', null, null, '{}')
      from generate_series(${recorded}::int, ${recorded + due - 1}::int) n`);
    recorded += due;
    await pause(everyMs);
  }
  const published = (): Promise<number> =>
    context.pool.oneFirst(sql.type(Count)`select published_size as count from claim_log`);
  while ((await published()) < recorded) await pause(100);
  const waits = await context.pool.anyFirst(sql.type(Millisecond)`
    select extract(epoch from k.created_at - c.created_at) * 1000 as ms
    from claims c join log_entries e on e.claim_id = c.id
    join lateral (select created_at from log_checkpoints where tree_size > e.log_index order by tree_size limit 1) k on true`);
  const p99 = quantile([...waits], 0.99);
  return [
    rate(recorded / seconds),
    ...[quantile([...waits], 0.5), p99, quantile([...waits], 1)].map((ms) => ms.toFixed(0)),
    `${RECEIPT_GOAL} ${p99 <= RECEIPT_GOAL ? 'reached' : 'missed'}`,
  ];
}

/** What a batch and a proof cost in small and large trees, and how long a claim waits for its receipt. */
export const b9Log: Bench = {
  title: 'B9: the log of claims',
  run: async (lab) => [
    table(
      [
        'leaves of the tree',
        'claims appended and published, a second',
        'goal, at least',
        'proof of inclusion, ms, median',
        'p99',
        'goal, at most',
        'proof of consistency, ms, median',
        'p99',
      ],
      await measureTrees(lab),
    ),
    table(
      ['claims committed, a second', 'ms to the checkpoint that has it, median', 'p99', 'most', 'goal of p99'],
      [await measureReceipts(lab)],
    ),
    await floors(lab),
  ],
};
