import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { PAYMENT_EVENTS } from '../../temporal/schedules.ts';
import { newPayer } from '../billing/payments/payer.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

describe('kill -9 of a worker that reads the events of the payment provider', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  for (const point of pointsOfSteps('readPaymentEvents')) {
    itBeside(`at ${point}: the next worker ends the run, and what no webhook brought is credited once`, () =>
      worlds.visit(async (world) => {
        const payer = await newPayer(world.context);
        const dying = await world.worker({ FAULT_AT: point });
        const { sessionId } = await payer.begin();
        await payer.settleSilently(sessionId, 'paid');
        const schedule = world.lives.client.schedule.getHandle(PAYMENT_EVENTS);
        await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), {
          ignoreErrors: () => true,
        });
        assert.equal(await dying.ended, 'SIGKILL');
        const begun = await eventually('the run that lost its worker', async () => {
          const [only] = (await schedule.describe()).info.recentActions;
          return only?.action.type === 'startWorkflow' ? only.action.workflow : undefined;
        });

        await world.runHere('worker');
        await world.lives.client.workflow.getHandle(begun.workflowId).result();
        assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
        await assertLedger(world.context.pool);
      }),
    );
  }
});
