import { setTimeout as pause } from 'node:timers/promises';
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { request } from 'undici';
import { answering, ready, settings } from './child.ts';

/** The least that a signed delivery can cost: a row is committed, and the request is sent immediately by undici, over connections that stay open. */

export interface BareDeliveries {
  perSecond: number;
  seconds: number;
}

const { databaseUrl, urls } = settings<{ databaseUrl: string; urls: string[] }>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
await pool.query(
  'create table bare_events (id bigserial primary key, payload text, created_at timestamptz default clock_timestamp())',
);

async function deliver(url: string): Promise<void> {
  const { rows } = await pool.query<{ timestamp: string }>({
    name: 'event',
    text: `insert into bare_events (payload) values ($1) returning to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp`,
    values: ['{}'],
  });
  const body = JSON.stringify({
    event_type: 'passport.flagged',
    severity: 'critical',
    payload: {},
    timestamp: rows[0]?.timestamp,
  });
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-signature': signature },
    body,
  });
  await answer.body.dump();
}

answering<BareDeliveries>(async ({ perSecond, seconds }) => {
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let nth = 0; nth < perSecond * seconds; nth += 1) {
    const wait = begun + (nth * 1_000) / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(deliver(urls[nth % urls.length] ?? ''));
  }
  await Promise.all(sent);
  return {};
});
ready();
