import { setTimeout as pause } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { pino } from 'pino';
import { Client } from 'undici';
import { z } from 'zod';
import { appendBatch, publishLog } from '../src/claims/log/append.ts';
import { openedLogOf, signCheckpoint } from '../src/claims/log/log-key.ts';
import { grow, hashOfLeaf, nodesOf } from '../src/claims/log/merkle.ts';
import { consistencyOf, inclusionOf } from '../src/claims/log/proofs.ts';
import { readNodes } from '../src/claims/log/node-queries.ts';
import { insertBatch, readTime } from '../src/claims/log/queries.ts';
import { secondsOf, signRegistration } from '../src/claims/log/registration.ts';
import type { Context } from '../src/context/context.ts';
import { sql } from '../src/database/pool.ts';
import { openContext } from '../src/process/open-context.ts';
import type { Bench } from './bench.ts';
import { callers } from './chains.ts';
import { configOf } from './config.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { quantile, rate, table } from './pairs.ts';
import type { World } from './world.ts';

/** Leaves of the trees that are compared: the cost of a batch and of a proof must not depend on them. */
const SIZES = [10_000, 1_000_000, 10_000_000];
/** Leaves that are put into the tree together while it is filled. */
const FILL = 20_000;
/** Claims that wait, and are appended. */
const WAITING = 20_000;
const PROOFS = 1_000;
/** Calls of the API under way together. */
const CALLERS = 16;
/** Claims a second to append, milliseconds of a proof of inclusion at p99, and milliseconds to a receipt at half of that rate at p99. */
const APPEND_GOAL = 2_000;
const PROOF_GOAL = 2;
const RECEIPT_GOAL = 1_000;

const Nothing = z.object({});
const One = z.object({ one: z.number() });
const Recorded = z.object({ log_index: z.number(), recorded_ms: z.number() });
const Seen = z.object({ size: z.number(), seen_ms: z.number() });
const Seqs = z.object({ seq: z.number() });

/** Lets leaves wait that are no claims: of a claim the log knows the id and the hash. */
const wait = ({ pool }: Context, from: number, count: number) =>
  pool.anyFirst(sql.type(Seqs)`
    insert into log_pending (claim_id, leaf_hash)
    select 'pc_bench_' || n, sha256(convert_to(n::text, 'UTF8')) from generate_series(${from}::bigint, ${from + count - 1}::bigint) n
    returning seq`);

/** Fills the tree up to a size, by large batches without publishing each. */
async function fill(context: Context, from: number, to: number): Promise<void> {
  const log = await openedLogOf(context);
  const registry = 'https://bench.example.com';
  const createdAt = await readTime(context.pool);
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
      registry,
      createdAt,
      registration: signRegistration(log, { ...grown, registry, registeredAt: secondsOf(createdAt) }),
      registeredFrom: null,
    });
    size = grown.size;
  }
  await publishLog(context);
  await settle(context);
}

/** The vacuum of what was appended, now and not beside what is measured next. */
const settle = ({ pool }: Context): Promise<unknown> =>
  pool.query(sql.unsafe`vacuum analyze log_nodes, log_entries, log_pending, log_checkpoints`);

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
    async newestRun() {
      return null;
    },
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
    await settle(context);
    const proofs = lab.quick ? 100 : PROOFS;
    const inclusion = await timesOf(proofs, () => inclusionOf(context.pool, `pc_bench_${randomInt(size)}`));
    const floor = await timesOf(proofs, () => context.pool.oneFirst(sql.type(One)`select 1 as one`));
    const consistency = await timesOf(proofs, () => consistencyOf(context.pool, randomInt(1, size), size));
    const p99 = quantile(inclusion, 0.99);
    rows.push([
      wanted.toLocaleString('en-US'),
      rate(perSecond),
      `${APPEND_GOAL} ${perSecond >= APPEND_GOAL ? 'reached' : 'missed'}`,
      ...[quantile(inclusion, 0.5), p99].map((ms) => ms.toFixed(2)),
      `${PROOF_GOAL} ${p99 <= PROOF_GOAL ? 'reached' : 'missed'}`,
      ...[0.5, 0.99].map((share) => quantile(consistency, share).toFixed(2)),
      ...[0.5, 0.99].map((share) => quantile(floor, share).toFixed(2)),
    ]);
  }
  return rows;
}

/** How often it is looked how much is published. A wait is up to this much longer than it was. */
const LOOK_MS = 5;

/** Notes when how much was published, by the clock of Postgres, until as many claims are as `end` says. */
function watchPublished({ pool }: Context): { end(count: number): Promise<z.infer<typeof Seen>[]> } {
  const seen: z.infer<typeof Seen>[] = [];
  let wanted = Infinity;
  const look = async (): Promise<void> => {
    for (let size = 0; size < wanted; await pause(LOOK_MS)) {
      const now = await pool.one(sql.type(Seen)`
        select published_size as size, extract(epoch from clock_timestamp()) * 1000 as seen_ms from claim_log`);
      if (now.size > size) seen.push(now);
      ({ size } = now);
    }
  };
  const looking = look();
  return {
    async end(count) {
      wanted = count;
      await looking;
      return seen;
    },
  };
}

/** Claims of the service, committed at a steady rate beside a whole worker, and how long each waits for its receipt. */
async function measureReceipts(lab: Lab, { context }: Whole): Promise<string[]> {
  const perSecond = APPEND_GOAL / 2;
  const everyMs = 20;
  const seconds = lab.quick ? 2 : 30;
  const watched = watchPublished(context);
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
  const seen = await watched.end(recorded);
  const rows = await context.pool.any(sql.type(Recorded)`
    select e.log_index, extract(epoch from c.created_at) * 1000 as recorded_ms
    from claims c join log_entries e on e.claim_id = c.id order by e.log_index`);
  let at = 0;
  const waits = rows.map(({ log_index: index, recorded_ms: ms }) => {
    while ((seen[at]?.size ?? Infinity) <= index) at += 1;
    return (seen[at]?.seen_ms ?? Number.NaN) - ms;
  });
  const p99 = quantile(waits, 0.99);
  return [
    rate(recorded / seconds),
    ...[quantile(waits, 0.5), p99, quantile(waits, 1)].map((ms) => ms.toFixed(0)),
    `${RECEIPT_GOAL} ${p99 <= RECEIPT_GOAL ? 'reached' : 'missed'}`,
  ];
}

/** A whole service with its worker, and a connection beside it. */
interface Whole {
  context: Context;
  origin: string;
  world: World;
}

async function startWhole(lab: Lab): Promise<Whole> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b9_receipts');
  const { databaseUrl } = world;
  const { origin } = await lab.start('carnet', { databaseUrl, temporalAddress, roles: { api: true, worker: true } });
  const context = await openContext(configOf({ databaseUrl, temporalAddress }), pino({ level: 'silent' }), {
    messagesCommitted() {},
    async begin() {},
    async newestRun() {
      return null;
    },
  });
  lab.onClose(() => context.close());
  return { context, origin, world };
}

type Answered = { id?: string; receipt?: object | null; hashes?: string[] };

/** One row a call of the API: how many a second, and how long each takes one caller. */
async function measureHttp(lab: Lab, { origin, world: { consumer } }: Whole): Promise<string[][]> {
  const ids: string[] = [];
  let issuedAt = 0;
  const envelope = (): string =>
    JSON.stringify({
      envelope_version: 1,
      issuer: consumer.operatorId,
      subject: 'carnet://agent/ag_1',
      issued_at: (issuedAt += 1),
      claim_type: 'mission',
      claim_version: 1,
      payload: { goal: 'Summarise a text in three sentences.' },
      receipt: null,
    });
  const any = (): string => ids[randomInt(ids.length)] ?? '';
  const headers = { authorization: `Bearer ${consumer.key}`, 'content-type': 'application/json' };
  const ask = async (
    client: Client,
    { method, path, body }: { method: 'GET' | 'POST'; path: string; body?: string },
  ): Promise<Answered> => {
    const response = await client.request({ method, path, headers, ...(body !== undefined && { body }) });
    const answer = (await response.body.json()) as Answered;
    if (response.statusCode >= 300) throw new Error(`${path} was answered ${response.statusCode}.`);
    return answer;
  };
  const calls: [string, (client: Client) => Promise<unknown>][] = [
    [
      'submit a claim',
      async (client) =>
        ids.push((await ask(client, { method: 'POST', path: '/v1/claims', body: envelope() })).id ?? ''),
    ],
    ['read a receipt', (client) => ask(client, { method: 'GET', path: `/v1/claims/${any()}/receipt` })],
    [
      'read a proof of inclusion',
      (client) => ask(client, { method: 'GET', path: `/v1/log/proofs/inclusion?claim_id=${any()}` }),
    ],
  ];
  const rows: string[][] = [];
  for (const [name, call] of calls) {
    const times: number[] = [];
    await callers(origin, { callers: 1, seconds: lab.seconds(5) }, async (client) => {
      const before = performance.now();
      await call(client);
      times.push(performance.now() - before);
    });
    const perSecond = await callers(origin, { callers: CALLERS, seconds: lab.seconds(5) }, async (client) => {
      await call(client);
    });
    rows.push([name, ...[0.5, 0.99].map((share) => quantile(times, share).toFixed(2)), rate(perSecond)]);
    const client = new Client(origin);
    while ((await ask(client, { method: 'GET', path: `/v1/claims/${ids.at(-1)}/receipt` })).receipt === null)
      await pause(100);
    await client.close();
  }
  return rows;
}

/** Measures what a batch and a proof cost in small and large trees, and how long a claim waits for its receipt. */
export const b9Log: Bench = {
  title: 'B9: the log of claims',
  run: async (lab) => {
    const trees = await measureTrees(lab);
    const whole = await startWhole(lab);
    const receipts = await measureReceipts(lab, whole);
    return [
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
          'floor: `select 1`, ms, median',
          'p99',
        ],
        trees,
      ),
      table(
        ['claims committed, a second', 'ms until its checkpoint is published, median', 'p99', 'most', 'goal of p99'],
        [receipts],
      ),
      table(
        ['over HTTP', 'ms for one caller, median', 'p99', `calls a second, ${CALLERS} callers`],
        await measureHttp(lab, whole),
      ),
      await floors(lab),
    ];
  },
};
