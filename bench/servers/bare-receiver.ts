import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import type { Endpoint } from '../endpoints.ts';
import { sendJson, serve, settings } from './child.ts';

/** The least that a receiver can do: node:http, the HMAC of the bytes, and one row that is inserted once. Nobody scans anything. */

const { databaseUrl, endpoints } = settings<{ databaseUrl: string; endpoints: Endpoint[] }>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
await pool.query(
  `create table bare_inbound (endpoint_id text, body_hash bytea, body bytea, received_at timestamptz default clock_timestamp(),
     primary key (endpoint_id, body_hash))`,
);
const bySlug = new Map(endpoints.map((endpoint) => [endpoint.slug, endpoint]));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const endpoint = bySlug.get(request.url?.split('/').at(-1) ?? '');
  const body = Buffer.concat(await request.toArray());
  const made = createHmac('sha256', endpoint?.secret ?? '')
    .update(body)
    .digest();
  const given = Buffer.from(String(request.headers['x-service-signature']), 'hex');
  if (endpoint === undefined || given.length !== made.length || !timingSafeEqual(given, made)) {
    response.writeHead(401).end();
    return;
  }
  const { rowCount } = await pool.query({
    name: 'receive',
    text: 'insert into bare_inbound (endpoint_id, body_hash, body) values ($1, $2, $3) on conflict do nothing',
    values: [endpoint.id, createHash('sha256').update(body).digest(), body],
  });
  sendJson(response, JSON.stringify({ duplicate: rowCount === 0, status: 'recorded' }));
}

await serve(createServer((request, response) => void receive(request, response)));
