import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { Logger } from 'pino';
import { openTemporal, type Temporal } from '../../temporal/client.ts';
import { createDelivery, type RunningDelivery } from '../../temporal/delivery.ts';
import { lives } from '../../temporal/lives.ts';
import type { RunningWorker } from '../../temporal/worker.ts';
import type { Config } from '../context/config.ts';
import { withCaches } from '../context/caches.ts';
import { StartupFault } from '../errors/startup-fault.ts';
import { ensurePlatformOwner } from '../accounts/index.ts';
import { openContext, openWorkerPool, type OpenContext } from './open-context.ts';

/** Seconds that requests under way may take at a stop. */
const DRAIN_SECONDS = 5;
const TEMPORAL_CHECK_MS = 3_000;

/** What `api.ts`, `worker.ts` and `main.ts` run, each a choice of these parts; `stop` ends them in the reverse order. */
export interface Parts {
  context: OpenContext;
  temporal: Temporal;
  delivery: RunningDelivery;
  stop(): Promise<void>;
}

/** Opens what every process has, and runs in it what `roles` names. */
export async function openParts(config: Config, log: Logger, roles: { api: boolean; worker: boolean }): Promise<Parts> {
  const temporal = openTemporal(config.temporal);
  const delivery = createDelivery({ temporal, log, lives });
  const context = await openContext(config, log, delivery);
  await delivery.start(context, { sweep: roles.worker });
  const worker = roles.worker ? await startWorker(context) : undefined;
  const server = roles.api ? await serve(context, temporal) : undefined;
  return {
    context,
    temporal,
    delivery,
    async stop() {
      await server?.stop();
      await worker?.stop();
      await delivery.stop();
      await context.close();
      await temporal.close();
    },
  };
}

/** Loads what only a worker needs, the SDK's bundler and native core among it: an API alone starts a third sooner without, and smaller. */
async function startWorker(context: OpenContext): Promise<Pick<RunningWorker, 'stop'>> {
  const [{ createActivities }, { createPorts }, { runWorker }] = await Promise.all([
    import('../../activities/index.ts'),
    import('../../activities/ports.ts'),
    import('../../temporal/worker.ts'),
  ]);
  const pool = await openWorkerPool(context.config);
  const workerContext = withCaches({ ...context, pool });
  const worker = await runWorker(workerContext, createActivities(workerContext, createPorts(workerContext)));
  return {
    async stop() {
      await worker.stop();
      await pool.end();
    },
  };
}

/** Loads what only an API needs, the schemas of every route among it: a worker alone starts with a fifth less work without. */
async function serve(context: OpenContext, temporal: Temporal): Promise<{ stop(): Promise<void> }> {
  const [{ createApp }, { closeGracefully, createHttpServer }, { credentials }, { routes }, { localPaymentPages }] =
    await Promise.all([
      import('../http/app.ts'),
      import('../http/server.ts'),
      import('./credentials.ts'),
      import('./routes.ts'),
      import('../billing/index.ts'),
    ]);
  await ensurePlatformOwner(context);
  let health = await temporal.check();
  const timer = setInterval(() => void temporal.check().then((now) => (health = now)), TEMPORAL_CHECK_MS);
  const server = createHttpServer(
    createApp(context, {
      routes,
      credentials: credentials(context),
      pages: localPaymentPages(context),
      health: { temporalHealth: () => health },
    }),
  );
  await listen(server, context.config.port);
  return {
    async stop() {
      clearInterval(timer);
      context.rowEvents.endWaits();
      await closeGracefully(server, DRAIN_SECONDS);
    },
  };
}

/**
 * Listens on every interface.
 * @returns the port, which the system chooses where `port` is 0.
 * @throws StartupFault when the port is taken or not allowed.
 */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupFault(`Port ${port} is in use; stop what listens there, or set PORT to another.`);
    if (code === 'EACCES')
      throw new StartupFault(`Port ${port} may not be opened by this user; set PORT to one above 1023.`);
    throw error;
  }
  return (server.address() as AddressInfo).port;
}
