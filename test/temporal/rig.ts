import { randomBytes } from 'node:crypto';
import { pino, type Logger } from 'pino';
import { z } from 'zod';
import { createActivities, type Activities } from '../../activities/index.ts';
import { createPorts } from '../../activities/ports.ts';
import { withCaches } from '../../src/context/caches.ts';
import { assertLedger } from '../../src/billing/index.ts';
import { ensureOperator } from '../../src/accounts/index.ts';
import type { CommandCall } from '../../src/commands/command.ts';
import { completeConfig, readSettings, type Config, type PaymentSettings } from '../../src/context/config.ts';
import type { Context } from '../../src/context/context.ts';
import { sql } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { actOf } from '../../src/invocations/act.ts';
import { claimInvocation } from '../../src/invocations/claim-invocation.ts';
import { heartbeatInvocation } from '../../src/invocations/heartbeat-invocation.ts';
import { completeInvocation } from '../../src/invocations/complete-invocation.ts';
import { invokeSkill } from '../../src/invocations/invoke-skill.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { openContext, openWorkerPool, type OpenContext } from '../../src/process/open-context.ts';
import { publishSkill } from '../../src/skills/publishing/publish-skill.ts';
import { PublishSkillSchema } from '../../src/skills/schema.ts';
import { openTemporal, type Temporal } from '../../temporal/client.ts';
import { createDelivery, type RunningDelivery } from '../../temporal/delivery.ts';
import { lives } from '../../temporal/lives.ts';
import { runWorker, type RunningWorker } from '../../temporal/worker.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { migratedDatabase } from '../support/empty-database.ts';
import { messagesOf } from '../support/due-lives.ts';
import { credit, publication, unique } from '../support/factories.ts';
import { service } from '../support/service.ts';
import { newNamespace } from './temporal-server.ts';

interface RigOptions {
  /** A Temporal of its own; by default the suite's, in a namespace of its own. */
  temporalAddress?: string;
  log?: Logger;
  /** In place of the local payment provider. */
  payments?: PaymentSettings;
  /** Besides those that every rig has. */
  settings?: Record<string, string>;
}

/**
 * Holds all that runs between a commit and its life, on real parts, in this process, where a test may hold each of them still: a database
 * of its own, a Temporal namespace of its own, a delivery and a worker that start when a test says so.
 */
export interface Rig {
  context: OpenContext;
  temporal: Temporal;
  config: Config;
  /** A delivery beyond the rig's own; stopped with the rig. */
  anotherDelivery(): Promise<RunningDelivery>;
  startDelivery(role?: { sweep: boolean }): Promise<void>;
  /** The activities of a worker of the rig. */
  activities(): Activities;
  /** @param instead activities that do something else in this worker */
  startWorker(instead?: Partial<Activities>): Promise<RunningWorker>;
  invoke(ttlSeconds?: number): Promise<Invocation>;
  claim(id: string, leaseSeconds?: number): Promise<Invocation>;
  heartbeat(id: string, leaseSeconds: number): Promise<Invocation>;
  complete(id: string, text?: string): Promise<Invocation>;
  /** Commands whose messages are announced when the last has been answered, however long that takes: without a sweep, delivered together. */
  together<T>(commands: () => Promise<T>): Promise<T>;
  row(id: string): Promise<z.infer<typeof Row>>;
  /** Messages of its life that nobody has looked at, delivered or not. */
  messagesOf(id: string): Promise<number>;
  stop(): Promise<void>;
}

const Row = z.object({
  status: z.string(),
  attempt: z.number(),
  output: z.string().nullable(),
});

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const name = `rig_${randomBytes(5).toString('hex')}`;
  const database = await migratedDatabase();
  const databaseUrl = database.url;
  const address = options.temporalAddress ?? service().credentials.temporal_address;
  const namespace = options.temporalAddress === undefined ? name : 'default';
  if (namespace === name) await newNamespace(address, name);
  const config = completeConfig(
    readSettings({
      WORKFLOW_BUNDLE: process.env.WORKFLOW_BUNDLE,
      LOG_HEAD_DIR: service().dataDir,
      RUN_FOR_EVERY_LIFE: 'true',
      ...options.settings,
    }),
    {
      databaseUrl,
      temporalAddress: address,
      platformAdminKey: randomBytes(18).toString('hex'),
      encryptionKeys: [randomBytes(32)],
      localProviders: true,
    },
  );
  config.temporal.namespace = namespace;
  if (options.payments !== undefined) config.payments = options.payments;
  const log = options.log ?? pino({ level: 'silent' });
  const temporal = openTemporal(config.temporal);
  const delivery = createDelivery({ temporal, log, lives });
  let holding = false;
  const context = await openContext(config, log, {
    messagesCommitted: () => holding || delivery.messagesCommitted(),
    begin: async (life) => void (holding || (await delivery.begin(life))),
    newestRun: (life) => delivery.newestRun(life),
  });
  const workerPool = await openWorkerPool(context);
  const workerContext = withCaches({ ...context, pool: workerPool });
  const deliveries = [delivery];
  const workers: RunningWorker[] = [];

  const consumer = await operatorWithCents(context, 100_000);
  const provider = await operatorWithCents(context, 0);
  const skill = await publishSkill(
    context,
    callOf(provider, 'publishSkill'),
    PublishSkillSchema.parse(publication({ price_per_invocation: 7 })),
  );

  let retrying: NodeJS.Timeout | undefined;
  const rig: Rig = {
    context,
    temporal,
    config,
    async anotherDelivery() {
      const another = createDelivery({ temporal, log, lives });
      deliveries.push(another);
      await another.start(context, { sweep: false });
      return another;
    },
    async startDelivery(role = { sweep: true }) {
      await delivery.start(context, role);
      if (role.sweep) return;
      // A Temporal of a slow machine may not take what is delivered, and without a sweep nobody would deliver it again.
      retrying = setInterval(() => void deliverAgain(context).catch(() => {}), 500);
    },
    activities: () => createActivities(workerContext, createPorts(workerContext)),
    async startWorker(instead = {}) {
      const worker = await runWorker(workerContext, { ...rig.activities(), ...instead });
      workers.push(worker);
      await worker.polling;
      return worker;
    },
    async invoke(ttlSeconds) {
      const body = { input: { text: INPUT }, ...(ttlSeconds !== undefined && { ttl_seconds: ttlSeconds }) };
      return (await invokeSkill(context, callOf(consumer, 'invokeSkill'), { skillId: skill.body.id, body })).body;
    },
    async claim(id, leaseSeconds) {
      const body = leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds };
      return (await claimInvocation(context, actOf(callOf(provider, 'claimInvocation')), { id, body })).body;
    },
    async heartbeat(id, leaseSeconds) {
      const act = actOf(callOf(provider, 'heartbeatInvocation'));
      return (await heartbeatInvocation(context, act, { id, body: { lease_seconds: leaseSeconds } })).body;
    },
    async complete(id, text = OUTPUT) {
      return (
        await completeInvocation(context, actOf(callOf(provider, 'completeInvocation')), {
          id,
          body: { output: { text } },
        })
      ).body;
    },
    async together(commands) {
      holding = true;
      try {
        return await commands();
      } finally {
        holding = false;
        delivery.messagesCommitted();
      }
    },
    row: (id) => context.pool.one(sql.type(Row)`select status, attempt, output from invocations where id = ${id}`),
    messagesOf: (id) => messagesOf(context.pool, lifeId.invocation(id)),
    async stop() {
      clearInterval(retrying);
      await Promise.all(deliveries.map((one) => one.stop()));
      await Promise.all(workers.map((one) => one.stop()));
      await assertLedger(context.pool);
      await context.close();
      await workerPool.end();
      await temporal.close();
      await database.drop();
    },
  };
  return rig;
}

/** Has delivered again what could not be. */
async function deliverAgain({ pool, delivery }: Context): Promise<void> {
  await pool.query(sql.unsafe`
    update lives set ready = true where failure is not null and not ready and epoch is null and due_at <= clock_timestamp()`);
  delivery.messagesCommitted();
}

/** Texts that no history may hold: the tests look for them. */
export const INPUT = 'input-that-no-history-may-hold';
export const OUTPUT = 'output-that-no-history-may-hold';

const callOf = (operatorId: OperatorId, operation: string): CommandCall => ({
  caller: {
    kind: 'operator',
    operatorId,
    role: 'admin',
    platform: false,
    by: { kind: 'key', keyId: 'key_rig' as never },
  },
  operation,
  idempotency: null,
  requestId: 'rig',
  request: null,
});

async function operatorWithCents(context: Context, cents: number): Promise<OperatorId> {
  const name = unique('operator');
  const operatorId = await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'developer' });
  if (cents === 0) return operatorId;
  await credit(operatorId, cents, context.pool);
  return operatorId;
}
