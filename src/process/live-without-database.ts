import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../context/config.ts';
import { awaitDatabase } from '../database/await-database.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { problemOf } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import { listen } from './listen.ts';

/**
 * Returns when the database answers, or says something that waiting does not change, which the start then fails by. Until then the
 * process is live and not ready, as it is without Temporal; on `port` it says so.
 * @throws StartupFault when the port is taken or not allowed.
 */
export async function liveWithoutDatabase(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  log: Logger,
  { port, host, signal }: Pick<Config, 'port' | 'host'> & { signal: AbortSignal },
): Promise<void> {
  let server: Server | undefined;
  const cameBack = await awaitDatabase(databaseUrl, {
    seconds: Infinity,
    signal,
    async onAway(why) {
      log.warn({ why }, 'the database does not answer; this process waits for it, live and not ready');
      server = await waitingServer({ port, host });
    },
  });
  if (cameBack) log.info('the database answers');
  if (server !== undefined) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

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
