import { localPaymentPages } from '../../../src/billing/index.ts';
import { filesOfPages, pagesOfPeople } from '../../../src/process/pages.ts';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.ts';
import { completeConfig, readSettings } from '../../../src/context/config.ts';
import { credentials } from '../../../src/process/credentials.ts';
import { sql } from '../../../src/database/pool.ts';
import type { Health } from '../../../src/http/pages/health-pages.ts';
import type { AnyRoute } from '../../../src/http/route.ts';
import { closeGracefully, createHttpServer } from '../../../src/http/server.ts';
import { newId, type AgentId, type OperatorId, type PartnerGrantId } from '../../../src/ids/ids.ts';
import { createLogger } from '../../../src/context/logging.ts';
import { openContext, type OpenContext } from '../../../src/process/open-context.ts';
import { ampleLimits } from '../../support/ample-limits.ts';
import { eventually } from '../../support/eventually.ts';
import { requester, service, type Requester } from '../../support/service.ts';
import { noDelivery } from '../../support/no-delivery.ts';

export interface Shell {
  baseUrl: string;
  port: number;
  context: OpenContext;
  /** The lines that were logged, parsed. */
  logged(): Record<string, unknown>[];
  platform: Requester;
  anonymous: Requester;
  /** Speaks to this shell with a key. */
  as(key: string): Requester;
  close(): Promise<void>;
}

interface ShellOptions {
  routes: AnyRoute[];
  settings?: Record<string, string>;
  health?: Health;
  /** The settings that `main.ts` provides from embedded parts, where it differs. */
  provided?: Parameters<typeof completeConfig>[1];
  /** The address to listen on. */
  host?: string;
}

/** The HTTP shell over routes of the test's own, on a port of its own and the suite's database. */
export async function openShell({
  routes,
  settings,
  health,
  provided,
  host = '127.0.0.1',
}: ShellOptions): Promise<Shell> {
  const platformAdminKey = randomBytes(24).toString('hex');
  const config = completeConfig(readSettings({ ...ampleLimits, ...settings }), {
    databaseUrl: service().databaseUrl,
    temporalAddress: '127.0.0.1:1',
    platformAdminKey,
    encryptionKeys: [randomBytes(32)],
    localProviders: true,
    ...provided,
  });
  const lines: string[] = [];
  const log = createLogger('debug', { write: (line: string) => void lines.push(line) });
  const context = await openContext(config, log, {
    ...noDelivery,
  });
  const server = createHttpServer(
    createApp(context, {
      routes,
      credentials: credentials(context),
      pages: [...filesOfPages(), ...localPaymentPages(context)],
      people: pagesOfPeople(),
      health,
    }),
  ).listen(0, host);
  await once(server, 'listening');
  await eventually('the shell to listen for changed rows', () => context.rowEvents.listening);
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl,
    port,
    context,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    platform: requester(platformAdminKey, baseUrl),
    anonymous: requester(null, baseUrl),
    as: (key) => requester(key, baseUrl),
    async close() {
      await closeGracefully(server, 1);
      await context.close();
    },
  };
}

const Nothing = z.object({});

/** An operator in the database. */
export async function insertOperator(
  { pool }: OpenContext,
  status: 'active' | 'suspended' = 'active',
): Promise<OperatorId> {
  const id = newId('op');
  await pool.query(
    sql.type(
      Nothing,
    )`insert into operators (id, name, email, status) values (${id}, 'shell', 'shell@example.test', ${status})`,
  );
  return id;
}

export async function insertAgent(
  { pool }: OpenContext,
  operatorId: OperatorId,
  status: 'active' | 'blocked' | 'disabled' = 'active',
): Promise<AgentId> {
  const id = newId('ag');
  await pool.query(
    sql.type(
      Nothing,
    )`insert into agents (id, operator_id, name, status) values (${id}, ${operatorId}, 'shell', ${status})`,
  );
  return id;
}

/** A grant of a partner in the database. */
export async function insertGrant(
  { pool }: Pick<OpenContext, 'pool'>,
  operatorId: OperatorId,
): Promise<PartnerGrantId> {
  const id = newId('pgr');
  await pool.query(sql.type(Nothing)`
    insert into partner_grants (id, operator_id, name, providers) values (${id}, ${operatorId}, 'shell', '{generic}')`);
  return id;
}

interface KeyOptions {
  operatorId: OperatorId;
  role?: 'admin' | 'member';
  agentId?: AgentId;
  /** The grant of a partner. */
  grantId?: PartnerGrantId;
  /** Seconds from now; negative: has expired; null or left out: never. */
  expiresIn?: number | null;
}

/** A key in the database. @returns its id and the secret to send */
export async function insertKey(
  { pool }: Pick<OpenContext, 'pool'>,
  { operatorId, role = 'admin', agentId, grantId, expiresIn }: KeyOptions,
): Promise<{ id: string; secret: string }> {
  const secret = `svc_live_${randomBytes(32).toString('base64url')}`;
  const id = newId('key');
  const kind = agentId !== undefined ? 'agent' : grantId !== undefined ? 'partner' : 'operator';
  await pool.query(sql.type(Nothing)`
    insert into api_keys (id, operator_id, name, kind, role, agent_id, partner_grant_id, secret_hash, last4, expires_at)
    values (${id}, ${operatorId}, 'shell', ${kind}, ${kind === 'operator' ? role : null}, ${agentId ?? null}, ${grantId ?? null},
            ${sql.binary(createHash('sha256').update(secret).digest())}, ${secret.slice(-4)},
            now() + make_interval(secs => ${expiresIn ?? null}::float8))`);
  return { id, secret };
}

/** The key of a new operator. */
export async function newAdmin(shell: Shell): Promise<Requester & { operatorId: OperatorId; keyId: string }> {
  const operatorId = await insertOperator(shell.context);
  const { id, secret } = await insertKey(shell.context, { operatorId });
  return { ...shell.as(secret), operatorId, keyId: id };
}
