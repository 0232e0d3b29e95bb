import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { KEY_ROTATION } from '../../temporal/schedules.ts';
import { newPassport, ownServices, type OwnService } from '../passports/own-service.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { assertStatus } from '../support/service.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const Key = z.object({ kid: z.string(), status: z.string() });

describe('kill -9 of a worker that rotates the signing keys', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const keysOf = async ({ context }: OwnService): Promise<[status: string, kid: string][]> =>
    (await context.pool.any(sql.type(Key)`select status, kid from signing_keys order by status`)).map(
      ({ status, kid }) => [status, kid],
    );
  const verdict = async (service: OwnService, token: string): Promise<unknown> =>
    assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200).valid;

  /** Runs a schedule whose worker dies at the point, and starts the next worker, which ends the run. */
  const rotateWithKill = async ({ lives, worker, runHere }: World, point: string): Promise<void> => {
    const dying = await worker({ FAULT_AT: point });
    const schedule = lives.client.schedule.getHandle(KEY_ROTATION);
    await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), {
      ignoreErrors: () => true,
    });
    assert.equal(await dying.ended, 'SIGKILL');
    const run = await eventually('the run that lost its worker', async () => {
      const [only] = (await schedule.describe()).info.recentActions;
      return only?.action.type === 'startWorkflow' ? only.action.workflow : undefined;
    });
    await runHere('worker');
    await lives.client.workflow.getHandle(run.workflowId).result();
  };

  for (const point of pointsOfSteps('rotateSigningKeysWhenDue')) {
    itBeside(`at ${point}: the next worker ends the run, and the keys have rotated once`, () =>
      worlds.visit(async (world) => {
        const services = await ownServices();
        try {
          const service = await services.open();
          const { token } = await newPassport(service);
          const { active, next } = Object.fromEntries(await keysOf(service));
          await service.context.pool.query(sql.unsafe`
            update signing_keys set activated_at = clock_timestamp() - interval '91 days' where status = 'active'`);

          Object.assign(world.settings, {
            DATABASE_URL: services.databaseUrl,
            ENCRYPTION_KEY: services.encryptionKey.toString('base64'),
          });
          await rotateWithKill(world, point);
          const after = await keysOf(service);
          assert.deepEqual(
            after.map(([status]) => status),
            ['active', 'next', 'retired'],
          );
          const rotated = Object.fromEntries(after);
          assert.deepEqual({ active: rotated.active, retired: rotated.retired }, { active: next, retired: active });
          assert.equal(await verdict(service, token), true, 'what the retired key has signed');
          assert.equal(await verdict(service, (await newPassport(service)).token), true, 'what the new one signs');
        } finally {
          await services.close();
        }
      }),
    );
  }
});
