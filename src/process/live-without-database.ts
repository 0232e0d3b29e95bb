import { once } from 'node:events';
import type { Server } from 'node:http';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../context/config.ts';
import { awaitDatabase } from '../database/await-database.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { assetPages } from '../http/pages/assets.ts';
import { jsonPage, PageTable, preferencesOf, sendPage, type NamedPage } from '../http/pages/page.ts';
import { problems } from '../http/problems.ts';
import { records } from '../http/records.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { createHttpServer } from '../http/server.ts';
import type { Middleware, Recorded } from '../http/state.ts';
import { listen } from './listen.ts';

/**
 * Returns when the database answers, or says something that waiting does not change, which the start then fails by. Until then the
 * process is live and not ready, as it is without Temporal; on `port` it says so.
 * @throws StartupFault when the port is taken or not allowed.
 */
export async function liveWithoutDatabase(
  config: Pick<Config, 'databaseUrl' | 'trustProxyHops'>,
  log: Logger,
  { port, host, signal }: Pick<Config, 'port' | 'host'> & { signal: AbortSignal },
): Promise<void> {
  let server: Server | undefined;
  const cameBack = await awaitDatabase(config.databaseUrl, {
    seconds: Infinity,
    signal,
    async onAway(why) {
      log.warn({ why }, 'the database does not answer; this process waits for it, live and not ready');
      server = await waitingServer(log, config, { port, host });
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

const page = (operation: string, status: number, body: object): NamedPage => ({
  operation,
  page: () => jsonPage(status, body),
});

const unready = { status: 'unavailable', database: 'unreachable' };

/** `/livez` is 200, everything else 503: to a browser as a page, which needs its stylesheet. */
async function waitingServer(
  log: Logger,
  config: Pick<Config, 'trustProxyHops'>,
  place: Pick<Config, 'port' | 'host'>,
): Promise<Server> {
  const table = new PageTable([
    ['/livez', page('livez', 200, { status: 'ok' })],
    ['/readyz', page('readyz', 503, unready)],
    ['/healthz', page('healthz', 503, unready)],
    ...assetPages(),
  ]);
  const answer: Middleware<Recorded> = async (ctx) => {
    const found = table.find(ctx.path);
    if (found === undefined) throw away;
    ctx.state.operation = found.page.operation;
    sendPage(ctx, await found.page.page({ id: found.id, ...preferencesOf(ctx) }));
  };
  const app = new Koa();
  app
    .use(records(log, config))
    .use(problems(log, { strict: true }))
    .use(securityHeaders)
    .use(answer);
  const server = createHttpServer(app);
  server.endConnections(); // everybody who waits here is to come to the server that follows
  await listen(server, place);
  return server;
}
