import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createActivities } from '../../activities/index.ts';
import { createPorts, type Ports } from '../../activities/ports.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { openParts, type Parts } from '../../src/process/parts.ts';
import { runWorker } from '../../temporal/worker.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { serve } from '../passports/own-service.ts';
import { ampleLimits } from '../support/ample-limits.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import type { MarketPlace } from '../support/market.ts';
import { startRole, type Role } from '../support/role.ts';
import { sharedTemporal } from '../support/shared-instance.ts';
import { newNamespace, startTemporal, type TemporalServer } from '../temporal/temporal-server.ts';

/** Rows and lives of a single case, and the production processes that work on them: none until the case starts one. */
export interface World extends OwnContext {
  lives: Lives;
  /** The environment of `api.ts` and `worker.ts`; a case may add to it. */
  settings: Record<string, string>;
  /** @param extra e.g. `{ FAULT_AT: 'life:advanceMail:done' }` */
  worker(extra?: Record<string, string>): Promise<Role>;
  api(extra?: Record<string, string>): Promise<Role>;
  /**
   * Runs in this process what `api.ts`, `worker.ts` or both run, for what no case kills. It shares nothing with a process that was
   * killed before, and costs half a second of processor time where another process costs two.
   */
  runHere(...roles: ('api' | 'worker')[]): Promise<{ baseUrl: string }>;
  /** Runs a worker in this process that reaches outside by these ports in place of its own. */
  workWith(ports: Partial<Ports>): Promise<void>;
  /**
   * Serves the API from this process, which is not killed; the sweep of the workers delivers its messages to the lives.
   */
  serve(): Promise<MarketPlace>;
}

/** Worlds on the Temporal server that the suites share. */
interface Worlds {
  /** Opens a world that several cases share; it ends with the suite. */
  open(): Promise<World>;
  /** Opens a world for a case, and ends what still runs in it. */
  visit(work: (world: World) => Promise<void>): Promise<void>;
  /** The same on a server of the case's own, which it may stop and start. */
  visitAlone(work: (world: World, temporal: TemporalServer) => Promise<void>): Promise<void>;
}

/** To be called in a `describe`: worlds that are still open end with the suite. */
export function worldsOfSuite(): Worlds {
  let shared: string;
  const opened: World[] = [];
  before(async function () {
    this.timeout(0); // the start has a limit of its own
    shared = await sharedTemporal();
  });
  after(() => Promise.all(opened.map((world) => world.close())));
  const visit = async (address: string, work: (world: World) => Promise<void>): Promise<void> => {
    const world = await openWorld(address);
    try {
      await work(world);
    } finally {
      await world.close();
    }
  };
  return {
    async open() {
      const world = await openWorld(shared);
      opened.push(world);
      return world;
    },
    visit: (work) => visit(shared, work),
    async visitAlone(work) {
      const temporal = await startTemporal();
      try {
        await visit(temporal.address, (world) => work(world, temporal));
      } finally {
        await temporal.remove();
      }
    },
  };
}

async function openWorld(temporalAddress: string): Promise<World> {
  const namespace = `world-${randomBytes(5).toString('hex')}`;
  await newNamespace(temporalAddress, namespace);
  const own = await ownContext();
  const { config } = own.context;
  const { databaseUrl, platformAdminKey, encryptionKeys } = config;
  const lives = livesOf({ temporal_address: temporalAddress, temporal_namespace: namespace });
  const settings: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    PLATFORM_ADMIN_KEY: platformAdminKey,
    ENCRYPTION_KEY: encryptionKeys[0]?.toString('base64') ?? '',
    LOCAL_PROVIDERS: 'true',
    LOG_HEAD_DIR: config.logHeadDir,
  };
  const started: Role[] = [];
  const ends: (() => Promise<void>)[] = [];
  const start = async (role: 'api' | 'worker', extra: Record<string, string>): Promise<Role> => {
    const process = await startRole(role, { ...settings, ...extra });
    started.push(process);
    return process;
  };
  const runParts = async (roles: { api: boolean; worker: boolean }): Promise<{ parts: Parts; baseUrl: string }> => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const parts = await openParts(
      completeConfig(
        readSettings({
          ...process.env,
          ...ampleLimits,
          WORKER_PORT: '0',
          PUBLIC_BASE_URL: baseUrl,
          ...settings,
          PORT: String(port),
        }),
      ),
      pino({ level: 'silent' }),
      roles,
    );
    return { parts, baseUrl };
  };
  return {
    ...own,
    lives,
    settings,
    worker: (extra = {}) => start('worker', extra),
    api: (extra = {}) => start('api', extra),
    async runHere(...roles) {
      const { parts, baseUrl } = await runParts({ api: roles.includes('api'), worker: roles.includes('worker') });
      ends.push(() => parts.stop());
      return { baseUrl };
    },
    async workWith(ports) {
      const { parts } = await runParts({ api: false, worker: false });
      const { context } = parts;
      const worker = await runWorker(context, createActivities(context, { ...createPorts(context), ...ports }));
      ends.push(async () => {
        await worker.stop();
        await parts.stop();
      });
    },
    async serve() {
      const { baseUrl, stop } = await serve(own.context);
      ends.push(stop);
      return { baseUrl, adminKey: platformAdminKey, databaseUrl };
    },
    async close() {
      await Promise.all(started.filter((process) => process.alive()).map((process) => process.kill()));
      await Promise.all(ends.map((end) => end()));
      await lives.close();
      await own.close();
    },
  };
}
