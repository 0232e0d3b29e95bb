import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import pg from 'pg';
import type { Logger } from 'pino';
import { createOutage } from '../../temporal/outage.ts';
import type { Config } from '../context/config.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { problemOf } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import { listen } from './listen.ts';

/** What the system and Postgres say of a database that will be there later: nobody listens, no such name yet, starting up, full. */
const AWAY =
  /^(?:E(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)|08...|53300|57P0[0-9])$/;

/**
 * Returns when the database answers, or says something that waiting does not change, which the start then fails by. Until then the
 * process is live and not ready, as it is without Temporal; on `port` it says so.
 * @throws StartupFault when the port is taken or not allowed.
 */
export async function awaitDatabase(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  log: Logger,
  { port, host, signal }: Pick<Config, 'port' | 'host'> & { signal: AbortSignal },
): Promise<void> {
  const outage = createOutage(log, {
    gone: 'the database does not answer; this process waits for it, live and not ready',
    back: 'the database answers',
  });
  let server: Server | undefined;
  for (let error = await look(databaseUrl); isAway(error); error = await look(databaseUrl)) {
    outage.seen(error);
    server ??= await waitingServer({ port, host });
    await outage.pause(signal);
    if (signal.aborted) break;
  }
  outage.over();
  if (server !== undefined) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

async function look(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, application_name: 'carnet-start', connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return error;
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error ? AWAY.test(String(error.code)) : /timeout|terminated unexpectedly/i.test(error.message));

const away = new CarnetError(
  'TEMPORARILY_UNAVAILABLE',
  'The database does not answer yet; repeat the call in a moment.',
  {
    headers: { 'Retry-After': '5' },
  },
);

/** `/livez` is 200, everything else 503. */
async function waitingServer(place: Pick<Config, 'port' | 'host'>): Promise<Server> {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const send = (status: number, type: string, body: object): void => {
      response.writeHead(status, { ...(status === 503 && away.headers), 'Content-Type': type, Connection: 'close' });
      response.end(JSON.stringify(body));
    };
    if (path === '/livez') send(200, 'application/json', { status: 'ok' });
    else if (path === '/readyz' || path === '/healthz')
      send(503, 'application/json', { status: 'unavailable', database: 'unreachable' });
    else send(503, 'application/problem+json', problemOf(away, { path, requestId: requestIdOf(undefined, undefined) }));
  });
  await listen(server, place);
  return server;
}
