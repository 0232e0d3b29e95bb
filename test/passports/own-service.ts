import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createApp } from '../../src/http/app.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { credentials } from '../../src/process/credentials.ts';
import { sql } from '../../src/database/pool.ts';
import { closeGracefully, createHttpServer } from '../../src/http/server.ts';
import { newId } from '../../src/ids/ids.ts';
import { createLogger } from '../../src/context/logging.ts';
import { openContext, type OpenContext } from '../../src/process/open-context.ts';
import { activeKey } from '../../src/passports/keys/signing-keys.ts';
import { doors, routes } from '../../src/process/routes.ts';
import { ampleLimits } from '../support/ample-limits.ts';
import type { Place } from '../support/factories.ts';
import { migratedDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { requester, type Requester } from '../support/service.ts';
import { payloadOf, type Payload } from './tokens.ts';
import { noDelivery } from '../support/no-delivery.ts';

const BASE_URL = 'https://carnet.example.test';

/** One API process over a database of the test's own, where keys may be rotated without harm to other tests. */
export interface OwnService {
  context: OpenContext;
  baseUrl: string;
  anonymous: Requester;
  platform: Requester;
  /** Where factories make operators and agents of it. */
  place: Place;
  /** Sends requests to it with a key. */
  as(key: string): Requester;
  logged(): string;
  close(): Promise<void>;
}

/** Processes that share a database. */
export interface OwnServices {
  /** One more process; by default with the encryption key of the others. */
  open(settings?: { encryptionKeys?: Buffer[] }): Promise<OwnService>;
  databaseUrl: string;
  encryptionKey: Buffer;
  /** Ends every process and drops the database. */
  close(): Promise<void>;
}

export async function ownServices(): Promise<OwnServices> {
  const database = await migratedDatabase();
  const encryptionKey = randomBytes(32);
  const opened: OwnService[] = [];
  return {
    databaseUrl: database.url,
    encryptionKey,
    async open({ encryptionKeys = [encryptionKey] } = {}) {
      const service = await openService(database.url, encryptionKeys);
      opened.push(service);
      return service;
    },
    async close() {
      for (const service of opened) await service.close();
      await database.drop();
    },
  };
}

async function openService(databaseUrl: string, encryptionKeys: Buffer[]): Promise<OwnService> {
  const platformAdminKey = randomBytes(24).toString('hex');
  const config = completeConfig(readSettings({ ...ampleLimits, PUBLIC_BASE_URL: BASE_URL }), {
    databaseUrl,
    temporalAddress: '127.0.0.1:1',
    platformAdminKey,
    encryptionKeys,
    localProviders: true,
  });
  const lines: string[] = [];
  const log = createLogger('debug', { write: (line: string) => void lines.push(line) });
  const context = await openContext(config, log, {
    ...noDelivery,
  });
  const { baseUrl, stop } = await serve(context);
  return {
    context,
    baseUrl,
    anonymous: requester(null, baseUrl),
    platform: requester(platformAdminKey, baseUrl),
    place: { baseUrl, adminKey: platformAdminKey },
    as: (key) => requester(key, baseUrl),
    logged: () => lines.join(''),
    async close() {
      await stop();
      await context.close();
    },
  };
}

/** The API over a context, in this process. */
export async function serve(context: OpenContext): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const app = createApp(context, {
    routes,
    doors: doors(context.config),
    credentials: credentials(context),
    pages: [],
    people: { pages: [], sessionOf: async () => null },
  });
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await eventually('the service to listen for changed rows', () => context.rowEvents.listening);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => closeGracefully(server, 1),
  };
}

/** The values that differ in the row of a passport from the usual. */
interface RowOptions {
  /** Seconds from now. */
  ttl?: number;
  revoked?: 'itself' | 'by an ancestor';
  statusIndex?: number;
  /** The day whose status list has its bit, YYYY-MM-DD; by default today. */
  day?: string;
  svcns?: Record<string, unknown>;
  aud?: string[];
  /** How the token is signed; by default with the key that is active. */
  kid?: string;
}

/** Makes a passport by SQL, so that the test decides its row. @returns its token and what was signed. */
export async function newPassport(
  { context }: OwnService,
  options: RowOptions = {},
): Promise<{ token: string; payload: Payload }> {
  const key = await activeKey(context);
  const now = Math.floor(
    (
      await context.pool.one(
        sql.type(z.object({ now: z.number() }))`select extract(epoch from clock_timestamp())::float8 as now`,
      )
    ).now,
  );
  const ttl = options.ttl ?? 900;
  const payload = payloadOf({
    iss: BASE_URL,
    iat: Math.min(now, now + ttl - 60),
    exp: now + ttl,
    svcns: options.svcns,
    aud: options.aud,
    idx: options.statusIndex,
  });
  await insertPassport(context, payload, { ...options, kid: options.kid ?? key.kid });
  return { token: key.sign(JSON.stringify(payload)), payload };
}

async function insertPassport(
  { pool }: OpenContext,
  payload: Payload,
  { revoked, statusIndex, day, kid }: RowOptions,
): Promise<void> {
  await pool.query(sql.type(z.object({}))`
    insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload,
      status_day, status_index, revoked_at, revoked_with)
    values (${payload.jti}, ${payload.jti}, ${newId('ses')}, 'op_platform', ${payload.sub}, 0, ${kid ?? ''}, to_timestamp(${payload.iat}),
      to_timestamp(${payload.exp}), ${JSON.stringify(payload)}, coalesce(${day ?? null}::date, (clock_timestamp() at time zone 'UTC')::date), ${statusIndex ?? 0},
      case when ${revoked !== undefined} then clock_timestamp() end, ${revoked === 'by an ancestor' ? newId('psp') : null})`);
}

/** Revokes it, as a revocation that has been acknowledged would have. */
export async function revoke({ context }: OwnService, jti: string): Promise<void> {
  await context.pool.query(
    sql.type(z.object({}))`update passports set revoked_at = clock_timestamp() where jti = ${jti}`,
  );
}
