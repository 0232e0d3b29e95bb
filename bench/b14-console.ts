import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { pagesOfPeople } from '../src/process/pages.ts';
import { chromium, closeChromium } from '../test/support/chromium.ts';
import { fillRows } from './b13-rows.ts';
import { makeBelongings } from './belongings.ts';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { median, quantile, table } from './pairs.ts';
import type { World } from './world.ts';

const ROWS = 1_000_000;
/** The first ones warm up. */
const [VISITS, WARM] = [50, 5];
const PAINTS = 6;
/** Goals of a page: milliseconds until it is sent, p95; bytes after the first visit, and with the files that it loads; milliseconds until it is painted. */
const [MS, BYTES, FIRST_BYTES, PAINT_MS] = [50, 20_000, 100_000, 300];

/** A text, as what is evaluated in the page has the types of the DOM. An entry that is not there yet comes with the next frame. */
const PAINTED = `new Promise((done) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
}).observe({ type: 'paint', buffered: true }))`;

/** The files of each page, fetched once by a browser. */
const FILES = /(?:href|src)="(\/(?:assets\/|favicon)[^"]+)"/g;

/** Who opens pages. */
interface Sessions {
  owner: string;
  platform: string;
}

/** A session of an owner of the consumer, and one of the platform. @returns their cookies */
async function signIn({ databaseUrl, consumer }: World): Promise<Sessions> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const session = async (name: string, operatorId: string): Promise<string> => {
    const token = randomBytes(32).toString('base64url');
    await client.query(
      `insert into members (id, operator_id, email, role, joined_at) values ($1, $2, $3, 'owner', now())`,
      [`mem_${name}`, operatorId, `${name}@carnet.invalid`],
    );
    await client.query(
      `insert into dashboard_sessions (id, token_hash, member_id, expires_at) values ($1, $2, $3, now() + interval '3 hours')`,
      [`dsh_${name}`, createHash('sha256').update(token).digest(), `mem_${name}`],
    );
    return `carnet_session=${token}`;
  };
  const sessions = {
    owner: await session('bench', consumer.operatorId),
    platform: await session('root', 'op_platform'),
  };
  await client.end();
  return sessions;
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

/** A link may lead to an example, or elsewhere. */
const MAX_LINKS = 5;

/** Links of pages, to those that are about one thing. */
const LINKS = /href="(\/dashboard\/[^"?#]+)/g;

/** A stream never ends, and these pages lead elsewhere. */
const NO_PAGES = /\/live$|\/sign-(?:in|out)|\/inbox|\/demo|\/register|\/search/;

interface Measured {
  path: string;
  p95: number;
  bytes: number;
  all: number;
  /** Milliseconds until a browser has painted something; null: there is no browser here. */
  painted: number | null;
}

/** The first contentful paint of a page in a browser that has its files, the median of five. */
async function paintedAfter(browser: Browser | null, address: string, cookie: string): Promise<number | null> {
  if (browser === null) return null;
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  try {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: new URL(address).origin, httpOnly: true, sameSite: 'Strict' }]);
    const page = await context.newPage();
    const times: number[] = [];
    for (let nth = 0; nth < PAINTS; nth += 1) {
      await page.goto(address);
      times.push(await page.evaluate<number>(PAINTED));
    }
    return median(times.slice(1)); // the first one loads the files
  } finally {
    await context.close();
  }
}

async function measurePage(
  browser: Browser | null,
  { origin, path, cookie, times }: { origin: string; path: string; cookie: string; times: number },
): Promise<Measured & { html: string }> {
  const visits: Visited[] = [];
  for (let nth = 0; nth < times; nth += 1) visits.push(await visit(origin + path, cookie));
  const warm = visits.slice(WARM).map(({ ms }) => ms);
  const { bytes = 0, html = '' } = visits[0] ?? {};
  let all = bytes;
  for (const [, file = ''] of html.matchAll(FILES)) all += await sizeOf(origin + file);
  const painted = await paintedAfter(browser, origin + path, cookie);
  return { path, html, p95: quantile(warm, 0.95), bytes, all, painted };
}

const row = ({ path, p95, bytes, all, painted }: Measured): string[] => {
  const reached = p95 <= MS && bytes <= BYTES && all <= FIRST_BYTES && (painted ?? 0) <= PAINT_MS;
  const paint = painted === null ? '–' : painted.toFixed(0);
  return [`\`${path}\``, p95.toFixed(1), String(bytes), String(all), paint, reached ? 'reached' : 'missed'];
};

async function measure(lab: Lab): Promise<string> {
  const rows = lab.quick ? ROWS / 100 : ROWS;
  const world = await lab.newWorld('b14');
  lab.log(`filling ${rows} rows of each table`);
  await fillRows(world, { rows });
  const sessions = await signIn(world);
  const { origin, stop } = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const links = new Set(await makeBelongings(world, { origin, owner: sessions.owner }));
  const browser = await chromium();
  lab.onClose(closeChromium);
  const known = pagesOfPeople()
    .pages.map(([path]) => path)
    .filter((path) => !NO_PAGES.test(path));
  const shown: string[][] = [];
  const statusOf = async (path: string, cookie: string): Promise<number> =>
    (await fetch(origin + path, { headers: { cookie }, redirect: 'manual' })).status;
  const answers = async (path: string): Promise<boolean> =>
    [await statusOf(path, sessions.owner), await statusOf(path, sessions.platform)].includes(200);
  const look = async (path: string, name = path): Promise<void> => {
    try {
      const cookie = (await statusOf(path, sessions.owner)) === 403 ? sessions.platform : sessions.owner;
      const { html, ...measured } = await measurePage(browser, {
        origin,
        path,
        cookie,
        times: lab.quick ? 2 * WARM : VISITS,
      });
      for (const [, link = ''] of html.matchAll(LINKS)) links.add(link);
      shown.push(row({ ...measured, path: name }));
    } catch (error) {
      lab.log(String(error));
    }
  };
  for (const path of known.filter((one) => !one.endsWith('/:id'))) await look(path);
  for (const path of known.filter((one) => one.endsWith('/:id'))) {
    const place = path.slice(0, -':id'.length);
    let found: string | undefined;
    for (const link of [...links].filter((one) => one.startsWith(place) && !known.includes(one)).slice(0, MAX_LINKS))
      found ??= (await answers(link)) ? link : undefined;
    if (found === undefined) lab.log(`${path}: no page leads to one`);
    else await look(found, path);
  }
  await stop();
  return table(
    [
      `page, ${rows.toLocaleString('en-US')} rows in each table`,
      'ms until it is sent, p95',
      'bytes',
      'bytes with its files',
      'ms until something is painted, median',
      `${MS} ms, ${BYTES}, ${FIRST_BYTES}, ${PAINT_MS} ms`,
    ],
    shown,
  );
}

/** Times the pages of the console with many rows behind them, and weighs them. */
export const b14: Bench = {
  title: 'B14: pages of the console with a million rows behind them',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
