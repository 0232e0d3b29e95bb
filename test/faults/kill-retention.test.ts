import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { RETENTION } from '../../temporal/schedules.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const Left = z.object({ old: z.number(), young: z.number() });

describe('kill -9 of a worker that purges the audit trail', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const events = (
    { context }: World,
    operator: string,
    { action, count, age }: { action: 'old' | 'young'; count: number; age: string },
  ) =>
    run(
      context.pool,
      sql.fragment`
        insert into audit_events (operator_id, actor, action, target, created_at)
        select ${operator}, 'test', ${action}, 'test', clock_timestamp() - ${age}::interval from generate_series(1, ${count})`,
    );
  const left = ({ context }: World, operator: string) =>
    context.pool.one(sql.type(Left)`
      select count(*) filter (where action = 'old') as old, count(*) filter (where action = 'young') as young
      from audit_events where operator_id = ${operator}`);

  for (const point of pointsOfSteps('purgeContents')) {
    itBeside(`at ${point}: the next worker ends the run, and what is left is what the tier keeps`, () =>
      worlds.visit(async (world) => {
        const operator = await newWallet(world.context.pool);
        await events(world, operator, { action: 'old', count: 2_500, age: '8 days' });
        await events(world, operator, { action: 'young', count: 10, age: '6 days' });

        const dying = await world.worker({ FAULT_AT: point });
        const schedule = world.lives.client.schedule.getHandle(RETENTION);
        await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), {
          ignoreErrors: () => true,
        });
        assert.equal(await dying.ended, 'SIGKILL');
        const begun = await eventually('the run that lost its worker', async () => {
          const [only] = (await schedule.describe()).info.recentActions;
          return only?.action.type === 'startWorkflow' ? only.action.workflow : undefined;
        });
        assert.deepEqual(await left(world, operator), { old: point.endsWith(':done') ? 1_500 : 2_500, young: 10 });

        await world.runHere('worker');
        await world.lives.client.workflow.getHandle(begun.workflowId).result();
        assert.deepEqual(await left(world, operator), { old: 0, young: 10 });
      }),
    );
  }
});
