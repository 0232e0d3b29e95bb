import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { CheckpointBodySchema } from '../../src/passports/accountability-schema.ts';
import { submitCheckpoint } from '../../src/passports/submit-report.ts';
import { lifeId } from '../../temporal/workflow-ids.ts';
import { callOf, ownContext, type OwnContext } from '../invocations/own-context.ts';
import { claimsOf, eventsOf, flagTypes, newLineage, newOperator, run, timePasses, type Lineage, type LineageOptions } from '../passports/lineages.ts';
import { eventually } from '../support/eventually.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { startRole, type Role } from '../support/role.ts';
import { temporalServer, type TemporalServer } from '../temporal/temporal-server.ts';
import { pointsOfStep } from './fault-points.ts';

/** A task whose worker died is given to another after this long; ten seconds as Temporal comes. */
const TASK_TIMEOUT = 'history.defaultWorkflowTaskTimeout="2s"';
/** Seconds from the start to the deadline: an interval of 300 and its grace. */
const DEADLINE = 375;
const REPORT = CheckpointBodySchema.parse({ services_used: ['GitHub'], actions_count: 1 });

describe('Checkpoint deadlines under faults (F13)', function () {
  this.timeout(120_000);
  let temporal: TemporalServer;
  let own: OwnContext;
  let db: DatabasePool;
  let settings: Record<string, string>;
  let lives: Lives;

  before(async () => {
    temporal = await temporalServer([TASK_TIMEOUT]);
    own = await ownContext();
    db = own.context.pool;
    const { databaseUrl, platformAdminKey, encryptionKeys } = own.context.config;
    settings = {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_ADMIN_KEY: platformAdminKey,
      ENCRYPTION_KEY: encryptionKeys[0]?.toString('base64') ?? '',
      LOCAL_PROVIDERS: 'true',
    };
    await temporal.start();
    lives = livesOf({ temporal_address: temporal.address, temporal_namespace: 'default' });
  });
  after(async () => {
    await lives.close();
    await own.close();
    await temporal.remove();
  });

  /** A session with its message, as issuing leaves it. */
  const begin = async (options: Partial<LineageOptions> = {}): Promise<Lineage> => {
    const lineage = await newLineage(db, { operator: await newOperator(db), ...options });
    await wake(lineage);
    return lineage;
  };
  const wake = ({ session }: Lineage) => run(db, sql.fragment`select wake_life(${lifeId.session(session)}, 'issued')`);
  const worker = (extra: Record<string, string> = {}): Promise<Role> => startRole('worker', { ...settings, ...extra });
  const checkpoint = ({ operator, jti }: Lineage) => submitCheckpoint(own.context, callOf(operator, 'submitCheckpoint'), { jti, body: REPORT });
  const details = async ({ session }: Lineage): Promise<string> => {
    const metadata = await lives.client.workflow
      .getHandle(lifeId.session(session))
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  };
  const waiting = (lineage: Lineage, number: number): Promise<unknown> =>
    eventually(`the life of ${lineage.session} to wait for checkpoint ${number}`, async () => (await details(lineage)).startsWith(`Waits for checkpoint ${number} of `), {
      seconds: 60,
      ignoreErrors: () => true,
    });
  const flagged = (lineage: Lineage): Promise<unknown> =>
    eventually('the flag', async () => (await flagTypes(db, lineage)).length > 0, { seconds: 60 });
  const deadlinePassed = (lineage: Lineage): Promise<unknown> =>
    eventually('the deadline to pass', () =>
      db.oneFirst(sql.type(z.object({ passed: z.boolean() }))`
        select started_at + make_interval(secs => ${DEADLINE + 0.2}) < clock_timestamp() as passed
        from passport_lineages where id = ${lineage.jti}`),
      { seconds: 30 },
    );
  const assertMissedOnce = async (lineage: Lineage): Promise<void> => {
    assert.deepEqual(await flagTypes(db, lineage), ['missed_checkpoint']);
    assert.deepEqual((await eventsOf(db, lineage)).map(({ event_type }) => event_type), ['passport.flagged']);
    assert.equal((await claimsOf(db, lineage, 'detector_signal')).length, 1);
  };

  for (const point of pointsOfStep('advanceSession')) {
    it(`a worker killed at ${point}: the next raises the miss once, and nothing of what came in time`, async () => {
      const [missed, kept] = [await begin({ age: DEADLINE - 1, ttl: 3_600 }), await begin({ age: DEADLINE - 5, ttl: 3_600 })];
      await checkpoint(kept);
      const dying = await worker({ FAULT_AT: point });
      assert.equal(await dying.ended, 'SIGKILL');
      await deadlinePassed(missed);
      await deadlinePassed(kept);
      const next = await worker();
      await flagged(missed);
      await Promise.all([waiting(missed, 1), waiting(kept, 2)]);
      await assertMissedOnce(missed);
      assert.deepEqual(await flagTypes(db, kept), ['late_checkpoint']);
      await next.kill();
    });
  }

  it('a worker killed while it waits, across the deadline: raised once by the next, never where the checkpoint came', async () => {
    const first = await worker();
    const soon = { age: DEADLINE - 15, ttl: 3_600 };
    const [missed, kept] = [await begin(soon), await begin(soon)];
    await Promise.all([waiting(missed, 1), waiting(kept, 1)]);
    await first.kill();
    await checkpoint(kept);
    await deadlinePassed(missed);
    assert.deepEqual(await flagTypes(db, missed), [], 'nobody was there');
    const next = await worker();
    await flagged(missed);
    await waiting(kept, 2);
    await assertMissedOnce(missed);
    assert.deepEqual(await flagTypes(db, kept), ['late_checkpoint']);
    await next.kill();
  });

  it('Temporal away across the deadline: checkpoints are answered, what is missed is raised without it, and its life finds it done', async () => {
    const running = await worker();
    const [missed, kept] = [await begin({ ttl: 3_600 }), await begin({ ttl: 3_600 })];
    await Promise.all([waiting(missed, 1), waiting(kept, 1)]);
    await temporal.stop();
    await timePasses(db, kept, DEADLINE - 20);
    await checkpoint(kept);
    await timePasses(db, missed, DEADLINE + 200);
    await flagged(missed);
    await assertMissedOnce(missed);
    await temporal.start();
    await wake(missed);
    await Promise.all([waiting(missed, 1), waiting(kept, 2)]);
    await eventually('the messages to be delivered', async () => (await db.anyFirst(sql.unsafe`select id from life_messages`)).length === 0, { seconds: 60 });
    await assertMissedOnce(missed);
    assert.deepEqual(await flagTypes(db, kept), ['late_checkpoint']);
    assert.equal(await running.stop(), 0);
  });
});
