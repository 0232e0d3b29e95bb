import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { pagesOfPeople } from '../src/process/pages.ts';
import { fillRows } from './b13-rows.ts';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { quantile, table } from './pairs.ts';
import type { World } from './world.ts';

const ROWS = 1_000_000;
const VISITS = 50;
/** Goals of a page: milliseconds until it is sent, p95; bytes after the first visit, and with the files that it loads. */
const [MS, BYTES, FIRST_BYTES] = [50, 20_000, 100_000];

/** The files of each page, fetched once by a browser. */
const FILES = /(?:href|src)="(\/(?:assets\/|favicon)[^"]+)"/g;

/** A session of an owner of the consumer. @returns its cookie */
async function signIn({ databaseUrl, consumer }: World): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const hash = createHash('sha256').update(token).digest();
  await client.query(
    `insert into members (id, operator_id, email, role, joined_at) values ('mem_bench', $1, 'bench@carnet.invalid', 'owner', now())`,
    [consumer.operatorId],
  );
  await client.query(
    `insert into dashboard_sessions (id, token_hash, member_id, expires_at) values ('dsh_bench', $1, 'mem_bench', now() + interval '1 hour')`,
    [hash],
  );
  await client.end();
  return `carnet_session=${token}`;
}

interface Visited {
  ms: number;
  bytes: number;
  html: string;
}

async function visit(address: string, cookie: string): Promise<Visited> {
  const from = performance.now();
  const answer = await fetch(address, { headers: { cookie, 'accept-encoding': 'br' }, redirect: 'manual' });
  const html = await answer.text();
  if (answer.status !== 200) throw new Error(`${address} was answered ${answer.status}`);
  return { ms: performance.now() - from, bytes: Buffer.byteLength(html), html };
}

async function sizeOf(address: string): Promise<number> {
  const answer = await fetch(address, { headers: { 'accept-encoding': 'br' } });
  await answer.arrayBuffer();
  return Number(answer.headers.get('content-length') ?? 0);
}

async function measure(lab: Lab): Promise<string> {
  const rows = lab.quick ? ROWS / 100 : ROWS;
  const world = await lab.newWorld('b14');
  lab.log(`filling ${rows} rows of each table`);
  await fillRows(world, { rows });
  const cookie = await signIn(world);
  const { origin, stop } = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const one = `inv_${'2000'.padStart(26, '0')}`;
  // Pages of the platform are refused to this person, a stream never ends, and the others need a thing or lead elsewhere.
  const others = /:id|\/live$|\/sign-(?:in|out)|\/inbox|\/demo|\/register|\/search/;
  const paths = [
    ...pagesOfPeople()
      .pages.map(([path]) => path)
      .filter((path) => !others.test(path)),
    `/dashboard/invocations/${one}`,
  ];
  const shown: string[][] = [];
  for (const path of paths) {
    const visits: Visited[] = [];
    try {
      for (let nth = 0; nth < VISITS; nth += 1) visits.push(await visit(origin + path, cookie));
    } catch (error) {
      lab.log(String(error));
      continue;
    }
    const [first] = visits;
    const p95 = quantile(
      visits.slice(5).map(({ ms }) => ms),
      0.95,
    ); // the first ones warm up
    const bytes = first?.bytes ?? 0;
    let all = bytes;
    for (const [, file = ''] of first?.html.matchAll(FILES) ?? []) all += await sizeOf(origin + file);
    const reached = p95 <= MS && bytes <= BYTES && all <= FIRST_BYTES;
    shown.push([`\`${path}\``, p95.toFixed(1), String(bytes), String(all), reached ? 'reached' : 'missed']);
  }
  await stop();
  return table(
    [
      `page, ${rows.toLocaleString('en-US')} rows in each table`,
      'ms until it is sent, p95',
      'bytes',
      'bytes with its files',
      `${MS} ms, ${BYTES}, ${FIRST_BYTES}`,
    ],
    shown,
  );
}

/** Times the pages of the console with many rows behind them, and weighs them. */
export const b14: Bench = {
  title: 'B14: pages of the console with a million rows behind them',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
