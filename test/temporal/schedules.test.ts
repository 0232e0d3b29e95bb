import assert from 'node:assert/strict';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { dataConverter } from '../../temporal/client.ts';
import { ensureSchedules, KEY_ROTATION } from '../../temporal/schedules.ts';
import { eventually } from '../support/eventually.ts';
import { anonymous, assertStatus, database, service } from '../support/service.ts';

const Active = z.object({ kid: z.string() });

describe('The schedule of the key rotation', () => {
  let client: Client;
  before(() => {
    const { temporal_address: address, temporal_namespace: namespace } = service().credentials;
    client = new Client({ connection: Connection.lazy({ address }), namespace, dataConverter });
  });
  after(() => client.connection.close());

  const schedule = () => client.schedule.getHandle(KEY_ROTATION);

  it('was made by the worker, once a day', async () => {
    const { spec, action, policies } = await eventually('the schedule to be there', () => schedule().describe(), {
      ignoreErrors: () => true,
    });
    assert.deepEqual(
      spec.intervals?.map(({ every }) => every),
      [86_400_000],
    );
    assert.equal(action.workflowType, 'keyRotation');
    assert.equal(policies.overlap, 'SKIP');
  });

  it('stays as it is when other workers start', async () => {
    await schedule().pause('by a person');
    const config = { witnessPolicy: undefined };
    await Promise.all([ensureSchedules(client.schedule, config), ensureSchedules(client.schedule, config)]);
    assert.equal((await schedule().describe()).state.note, 'by a person');
    await schedule().unpause();
  });

  it('is made again within seconds where it is lost, without a restart of any worker', async () => {
    await schedule().delete();
    const { spec } = await eventually('the schedule to be there again', () => schedule().describe(), {
      ignoreErrors: () => true,
    });
    assert.equal(spec.intervals?.[0]?.every, 86_400_000);
  });

  it('starts a run that reads Postgres, and leaves a young key as it is', async () => {
    assertStatus(await anonymous().get('/v1/.well-known/jwks.json'), 200);
    const active = async () =>
      (await (await database()).one(sql.type(Active)`select kid from signing_keys where status = 'active'`)).kid;
    const before = await active();
    await schedule().trigger();
    const run = await eventually('a run of the schedule', async () => {
      const [newest] = (await schedule().describe()).info.recentActions;
      return newest?.action.type === 'startWorkflow' ? newest.action.workflow : undefined;
    });
    assert(run.workflowId.startsWith(`${KEY_ROTATION}-`), 'the schedule appends the time');
    await client.workflow.getHandle(run.workflowId).result();
    assert.equal(await active(), before);
  });
});
