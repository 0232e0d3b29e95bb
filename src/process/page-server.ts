import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Context } from '../context/context.ts';
import { healthPages, type Health } from '../http/pages/health-pages.ts';
import { metricsPage } from '../http/pages/metrics-page.ts';
import { noPreferences, PageTable, type Page, type PathOfPage } from '../http/pages/page.ts';
import { listen, type Place } from './listen.ts';

interface PageServer {
  port: number;
  stop(): Promise<void>;
}

/**
 * Health and metrics of a process that serves no calls, on a port of its own: without credentials, as on the API's port, so it is for the people who
 * run the service and not for the network outside. The metrics are not among them where they have a port of their own.
 * @throws StartupFault where it cannot listen
 */
export const serveWorkerPages = (context: Pick<Context, 'config' | 'log' | 'pool'>, health: Health) => {
  const { workerPort, host, metricsPort } = context.config;
  const pages = [...healthPages(context.pool, health), ...(metricsPort === undefined ? [metricsPage] : [])];
  return servePages(context, pages, { port: workerPort, host, settings: ['WORKER_PORT', 'HOST'] });
};

/** The metrics of a process of any kind, where they have a port of their own. @throws StartupFault where it cannot listen */
export const serveMetrics = (context: Pick<Context, 'config' | 'log'>, port: number): Promise<PageServer> =>
  servePages(context, [metricsPage], {
    port,
    host: context.config.metricsHost,
    settings: ['METRICS_PORT', 'METRICS_HOST'],
  });

async function servePages({ log }: Pick<Context, 'log'>, pages: PathOfPage[], place: Place): Promise<PageServer> {
  const table = new PageTable(pages);
  const answer = async ({ url = '/', method }: IncomingMessage): Promise<Page> => {
    const found = table.find(url.split('?')[0] ?? '');
    if (found === undefined) return plain(404, 'not found');
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET');
    return await found.page.page({ id: found.id, ...noPreferences });
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type, body } = await answer(request).catch((error: unknown) => {
      log.warn({ err: error }, 'a page for the people who run the service failed');
      return plain(500, 'failed');
    });
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
  };
  const server = createServer((request, response) => void respond(request, response));
  const port = await listen(server, place);
  return {
    port,
    async stop() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

const plain = (status: number, body: string): Page => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${body}\n`,
});
