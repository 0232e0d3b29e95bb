import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openTemporal, type Temporal } from '../../temporal/client.ts';
import { createDelivery, type RunningDelivery } from '../../temporal/delivery.ts';
import { lives } from '../../temporal/lives.ts';
import type { RunningWorker } from '../../temporal/worker.ts';
import type { Config } from '../context/config.ts';
import type { DatabasePool } from '../database/pool.ts';
import { withCaches } from '../context/caches.ts';
import { VERSION } from '../context/version.ts';
import { startTracing } from '../tracing/start.ts';
import { ensurePlatformOwner } from '../accounts/index.ts';
import { publishLog, troubleOfLog } from '../claims/index.ts';
import { troubleOfLives } from '../lives/index.ts';
import { listen } from './listen.ts';
import { addMetricsOfParts } from './metrics-of-parts.ts';
import { openContext, openWorkerPool, type OpenContext } from './open-context.ts';

/** Seconds that requests under way may take at a stop. */
const CLOSING_SECONDS = 5;
/** Milliseconds of draining at least: clients that are busy on a connection get an answer that says to close it. */
const MIN_DRAIN_MS = 100;
const TEMPORAL_CHECK_MS = 3_000;

/** The parts that `api.ts`, `worker.ts` and `main.ts` run, each a choice of these parts; `stop` ends them in the reverse order. */
export interface Parts {
  context: OpenContext;
  temporal: Temporal;
  delivery: RunningDelivery;
  /** The port of health and metrics where this process has a worker and no API. */
  workerPort: number | undefined;
  /** The port of the metrics, where they have one of their own. */
  metricsPort: number | undefined;
  stop(): Promise<void>;
}

/** Opens what every process has, and runs in it what `roles` names. */
export async function openParts(config: Config, log: Logger, roles: { api: boolean; worker: boolean }): Promise<Parts> {
  const stopTracing = await startTracing(config.tracing, { log, version: VERSION });
  const temporal = openTemporal(config.temporal);
  const delivery = createDelivery({ temporal, log, lives });
  const context = await openContext(config, log, delivery);
  await delivery.start(context, { sweep: roles.worker });
  const worker = roles.worker ? await startWorker(context) : undefined;
  const server = roles.api ? await serve(context, temporal) : undefined;
  const removeMetrics = addMetricsOfParts(context, {
    api: () => (roles.api ? context.pool : undefined),
    worker: () => worker?.pool,
    delivery: () => delivery.pool,
  });
  const { metricsPort } = config;
  const metricsPages =
    metricsPort === undefined ? undefined : await (await import('./page-server.ts')).serveMetrics(context, metricsPort);
  const workerPages = worker === undefined || roles.api ? undefined : await serveWorker(context, temporal, worker);
  return {
    context,
    temporal,
    delivery,
    workerPort: workerPages?.port,
    metricsPort: metricsPages?.port,
    async stop() {
      workerPages?.stopping();
      removeMetrics();
      await server?.stop();
      await worker?.stop();
      await delivery.stop();
      await workerPages?.stop();
      await metricsPages?.stop();
      await context.close();
      await temporal.close();
      await stopTracing();
    },
  };
}

interface StartedWorker extends Pick<RunningWorker, 'isPolling' | 'stop'> {
  pool: DatabasePool;
}

/** Loads what only a worker needs, the SDK's bundler and native core among it: an API alone starts a third sooner without, and smaller. */
async function startWorker(context: OpenContext): Promise<StartedWorker> {
  const [{ createActivities }, { createPorts }, { runWorker }, { ensurePortal }, notifications, inbound, credentials] =
    await Promise.all([
      import('../../activities/index.ts'),
      import('../../activities/ports.ts'),
      import('../../temporal/worker.ts'),
      import('../billing/index.ts'),
      import('../notifications/index.ts'),
      import('../inbound/index.ts'),
      import('../credentials/index.ts'),
    ]);
  const pool = await openWorkerPool(context);
  const workerContext = withCaches({ ...context, pool });
  const ports = createPorts(workerContext);
  const worker = await runWorker(workerContext, createActivities(workerContext, ports));
  publishLog(workerContext).catch((error: unknown) =>
    context.log.error({ err: error }, 'the claims log cannot be opened now; its life tries again'),
  );
  for (const encryptAgain of [
    notifications.destinationSecrets.encryptAgain,
    inbound.endpointSecrets.encryptAgain,
    credentials.encryptCredentialsAgain,
  ]) {
    encryptAgain(workerContext).catch((error: unknown) =>
      context.log.warn({ err: error }, 'sealed secrets cannot be read now; the next start does'),
    );
  }
  if (context.config.payments !== undefined) {
    ensurePortal(workerContext).catch((error: unknown) =>
      context.log.warn({ err: error }, 'the portal of the payment provider cannot be checked now; the next start does'),
    );
  }
  return {
    isPolling: worker.isPolling,
    pool,
    async stop() {
      await worker.stop();
      await ports.scripts.close();
      await pool.end();
    },
  };
}

/** Temporal's health as of a check every three seconds. */
async function watchHealth(temporal: Temporal): Promise<{ health(): 'ok' | 'degraded'; stop(): void }> {
  let health = await temporal.check();
  const timer = setInterval(() => void temporal.check().then((now) => (health = now)), TEMPORAL_CHECK_MS);
  return { health: () => health, stop: () => clearInterval(timer) };
}

/** The pages of a worker without an API, which stay until nothing of it runs any more. */
async function serveWorker(context: OpenContext, temporal: Temporal, { isPolling }: Pick<RunningWorker, 'isPolling'>) {
  const { serveWorkerPages } = await import('./page-server.ts');
  const watched = await watchHealth(temporal);
  let stopping = false;
  const pages = await serveWorkerPages(context, {
    temporalHealth: watched.health,
    logTrouble: () => troubleOfLog(context),
    lifeTrouble: () => troubleOfLives(context),
    isPolling,
    isStopping: () => stopping,
  });
  return {
    port: pages.port,
    stopping() {
      stopping = true;
    },
    async stop() {
      watched.stop();
      await pages.stop();
    },
  };
}

/** Loads what only an API needs, the schemas of every route among it: a worker alone starts with a fifth less work without. */
async function serve(context: OpenContext, temporal: Temporal): Promise<{ stop(): Promise<void> }> {
  const [
    { createApp },
    { closeGracefully, createHttpServer },
    { credentials },
    { doors, routes },
    { filesOfPages, pagesOfPeople },
    billing,
    notifications,
  ] = await Promise.all([
    import('../http/app.ts'),
    import('../http/server.ts'),
    import('./credentials.ts'),
    import('./routes.ts'),
    import('./pages.ts'),
    import('../billing/index.ts'),
    import('../notifications/index.ts'),
  ]);
  await ensurePlatformOwner(context);
  const watched = await watchHealth(temporal);
  let stopping = false;
  const server = createHttpServer(
    createApp(context, {
      routes,
      doors: doors(context.config),
      credentials: credentials(context),
      pages: [...filesOfPages(), ...billing.localPaymentPages(context), ...notifications.unsubscribePages(context)],
      people: pagesOfPeople(),
      health: {
        temporalHealth: watched.health,
        logTrouble: () => troubleOfLog(context),
        lifeTrouble: () => troubleOfLives(context),
        isStopping: () => stopping,
      },
    }),
  );
  await listen(server, context.config);
  return {
    async stop() {
      stopping = true;
      server.endConnections();
      await setTimeout(Math.max(context.config.drainSeconds * 1_000, MIN_DRAIN_MS));
      watched.stop();
      context.rowEvents.endWaits();
      await closeGracefully(server, CLOSING_SECONDS);
    },
  };
}
