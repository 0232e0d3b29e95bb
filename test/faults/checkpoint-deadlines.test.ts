import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { CheckpointBodySchema } from '../../src/passports/accountability/schema.ts';
import { submitCheckpoint } from '../../src/passports/accountability/submit-report.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { callOf } from '../invocations/own-context.ts';
import {
  ageOf,
  claimsOf,
  eventsOf,
  flagTypes,
  newLineage,
  newOperator,
  run,
  timePasses,
  type Lineage,
  type LineageOptions,
} from '../passports/lineages.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

/** Seconds from the start to the deadline: an interval of 300 and its grace. */
const DEADLINE = 375;
const REPORT = CheckpointBodySchema.parse({ services_used: ['GitHub'], actions_count: 1 });

describe('Checkpoint deadlines under faults', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  itBeside(
    'a worker killed while it waits, across the deadline: raised once by the next, never where the checkpoint came',
    () =>
      worlds.visit(async (world) => {
        const { begin, checkpoint, waits, waiting, flagged, isPast, deadlinePassed, assertMissedOnce, flags } =
          sessionsIn(world);
        /**
         * Two sessions whose lives wait and whose worker is killed before the deadline; where the machine was too slow,
         * two others with more time.
         */
        const abandoned = async (seconds: number): Promise<{ missed: Lineage; kept: Lineage }> => {
          const worker = await world.worker();
          const soon = { age: DEADLINE - seconds, ttl: 3_600 };
          const [missed, kept] = [await begin(soon), await begin(soon)];
          const wait = async () => (await isPast(missed)) || ((await waits(missed, 1)) && waits(kept, 1));
          await eventually('both to wait', wait, { seconds: 400, ignoreErrors: () => true });
          await worker.kill();
          await checkpoint(kept);
          if ((await ageOf(world.context.pool, missed)) < DEADLINE) return { missed, kept };
          assert(seconds < 300, `no two lives waited within ${seconds} s`);
          return abandoned(seconds * 4);
        };
        // The other cases run meanwhile.
        const { missed, kept } = await abandoned(20);
        await deadlinePassed(missed);
        assert.deepEqual(await flags(missed), [], 'nobody was there');
        await world.runHere('worker');
        await flagged(missed);
        await waiting(kept, 2);
        await assertMissedOnce(missed);
        assert.deepEqual(await flags(kept), ['late_checkpoint']);
      }),
  );

  itBeside(
    'Temporal away across the deadline: checkpoints are answered, what is missed is raised without it, and its life finds it done',
    () =>
      worlds.visitAlone(async (world, temporal) => {
        const { begin, wake, checkpoint, waiting, flagged, assertMissedOnce, flags } = sessionsIn(world);
        const db = world.context.pool;
        const running = await world.worker();
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
        await eventually(
          'the messages to be delivered',
          async () => (await db.anyFirst(sql.unsafe`select id from lives where epoch is null`)).length === 0,
          { seconds: 120 },
        );
        await assertMissedOnce(missed);
        assert.deepEqual(await flags(kept), ['late_checkpoint']);
        assert.equal(await running.stop(), 0);
      }),
  );

  for (const point of pointsOfSteps('advanceSession')) {
    itBeside(`a worker killed at ${point}: the next raises the miss once, and nothing of what came in time`, () =>
      worlds.visit(async (world) => {
        const { begin, checkpoint, waiting, flagged, deadlinePassed, assertMissedOnce, flags } = sessionsIn(world);
        const [missed, kept] = [
          await begin({ age: DEADLINE - 1, ttl: 3_600 }),
          await begin({ age: DEADLINE - 60, ttl: 3_600 }),
        ];
        await checkpoint(kept);
        await timePasses(world.context.pool, kept, 60);
        const dying = await world.worker({ FAULT_AT: point });
        assert.equal(await dying.ended, 'SIGKILL');
        await deadlinePassed(missed);
        await deadlinePassed(kept);
        await world.runHere('worker');
        await flagged(missed);
        await Promise.all([waiting(missed, 1), waiting(kept, 2)]);
        await assertMissedOnce(missed);
        assert.deepEqual(await flags(kept), ['late_checkpoint']);
      }),
    );
  }
});

/** The sessions of a world and what a case does with them. */
function sessionsIn({ context, lives }: World) {
  const db = context.pool;
  const wake = ({ session }: Lineage) => run(db, sql.fragment`select wake_life(${lifeId.session(session)})`);
  const details = async ({ session }: Lineage): Promise<string> => {
    const metadata = await lives.client.workflow
      .getHandle(lifeId.session(session))
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  };
  const waits = async (lineage: Lineage, number: number): Promise<boolean> =>
    (await details(lineage)).startsWith(`Waits for checkpoint ${number} of `);
  const flags = (lineage: Lineage): Promise<string[]> => flagTypes(db, lineage);
  const isPast = (lineage: Lineage): Promise<boolean> =>
    db.oneFirst(sql.type(z.object({ past: z.boolean() }))`
      select started_at + make_interval(secs => ${DEADLINE + 0.2}) < clock_timestamp() as past from passport_lineages where id = ${lineage.jti}`);
  return {
    wake,
    flags,
    /** Moves the first deadline into the past. */
    isPast,
    /** Inserts a session with its message, as issuing a passport leaves it. */
    async begin(options: Partial<LineageOptions>): Promise<Lineage> {
      const lineage = await newLineage(db, { operator: await newOperator(db), ...options });
      await wake(lineage);
      return lineage;
    },
    checkpoint: ({ operator, jti }: Lineage) =>
      submitCheckpoint(context, callOf(operator, 'submitCheckpoint'), { jti, body: REPORT }),
    waits,
    waiting: (lineage: Lineage, number: number): Promise<unknown> =>
      eventually(`the life of ${lineage.session} to wait for checkpoint ${number}`, () => waits(lineage, number), {
        seconds: 120,
        ignoreErrors: () => true,
      }),
    flagged: (lineage: Lineage): Promise<unknown> =>
      eventually('the flag', async () => (await flags(lineage)).length > 0, { seconds: 120 }),
    deadlinePassed: (lineage: Lineage): Promise<unknown> =>
      eventually('the deadline to pass', () => isPast(lineage), { seconds: 120 }),
    async assertMissedOnce(lineage: Lineage): Promise<void> {
      assert.deepEqual(await flags(lineage), ['missed_checkpoint']);
      assert.deepEqual(
        (await eventsOf(db, lineage)).map(({ event_type }) => event_type),
        ['passport.flagged'],
      );
      assert.equal((await claimsOf(db, lineage, 'detector_signal')).length, 1);
    },
  };
}
