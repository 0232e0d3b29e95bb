import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { KEY_ROTATION } from '../../temporal/schedules.ts';
import { newPassport, ownServices, type OwnService, type OwnServices } from '../passports/own-service.ts';
import { eventually } from '../support/eventually.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { startRole } from '../support/role.ts';
import { assertStatus } from '../support/service.ts';
import { temporalServer, type TemporalServer } from '../temporal/temporal-server.ts';
import { pointsOfStep } from './fault-points.ts';

/** A task whose worker died is given to another after this long; ten seconds as Temporal comes. */
const TASK_TIMEOUT = 'history.defaultWorkflowTaskTimeout="2s"';
const Key = z.object({ kid: z.string(), status: z.string() });

describe('kill -9 of a worker that rotates the signing keys', function () {
  this.timeout(120_000);
  let temporal: TemporalServer;
  let services: OwnServices;
  let service: OwnService;
  let settings: Record<string, string>;
  let lives: Lives;

  beforeEach(async () => {
    temporal = await temporalServer([TASK_TIMEOUT]);
    services = await ownServices();
    service = await services.open();
    settings = {
      DATABASE_URL: services.databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_ADMIN_KEY: randomBytes(18).toString('hex'),
      ENCRYPTION_KEY: services.encryptionKey.toString('base64'),
      LOCAL_PROVIDERS: 'true',
    };
    await temporal.start();
    lives = livesOf({ temporal_address: temporal.address, temporal_namespace: 'default' });
  });
  afterEach(async () => {
    await lives.close();
    await services.close();
    await temporal.remove();
  });

  const keys = async (): Promise<[status: string, kid: string][]> =>
    (await service.context.pool.any(sql.type(Key)`select status, kid from signing_keys order by status`)).map(({ status, kid }) => [status, kid]);
  const verdict = async (token: string): Promise<unknown> => assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200).valid;

  for (const point of pointsOfStep('rotateSigningKeysWhenDue')) {
    it(`at ${point}: the next worker ends the run, and the keys have rotated once`, async () => {
      const { token } = await newPassport(service);
      const { active, next } = Object.fromEntries(await keys());
      await service.context.pool.query(sql.unsafe`
        update signing_keys set activated_at = clock_timestamp() - interval '91 days' where status = 'active'`);

      const dying = await startRole('worker', { ...settings, FAULT_AT: point });
      const schedule = lives.client.schedule.getHandle(KEY_ROTATION);
      await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), { ignoreErrors: () => true });
      assert.equal(await dying.ended, 'SIGKILL');
      const run = await eventually('the run that lost its worker', async () => {
        const [only] = (await schedule.describe()).info.recentActions;
        return only?.action.type === 'startWorkflow' ? only.action.workflow : undefined;
      });

      const successor = await startRole('worker', settings);
      await lives.client.workflow.getHandle(run.workflowId).result();
      const after = await keys();
      assert.deepEqual(after.map(([status]) => status), ['active', 'next', 'retired']);
      const rotated = Object.fromEntries(after);
      assert.deepEqual({ active: rotated.active, retired: rotated.retired }, { active: next, retired: active });
      assert.equal(await verdict(token), true, 'what the retired key has signed');
      assert.equal(await verdict((await newPassport(service)).token), true, 'what the new one signs');
      await successor.kill();
    });
  }
});
