import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { newPayer } from '../billing/payments/payer.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

describe('kill -9 of a worker that tops up a wallet', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const count = async ({ context: { pool } }: World, table: 'local_checkouts' | 'local_customers'): Promise<unknown> =>
    pool.oneFirst(sql.unsafe`select count(*)::int from ${sql.identifier([table])}`);
  const end = ({ lives }: World, id: string): Promise<unknown> =>
    lives.client.workflow.getHandle(lifeId['top-up'](id)).result();

  for (const point of pointsOfSteps('advanceTopUp', 'openTopUp')) {
    itBeside(`at ${point}: the next worker opens the checkout, once`, () =>
      worlds.visit(async (world) => {
        const payer = await newPayer(world.context);
        const dying = await world.worker({ FAULT_AT: point });
        const id = await payer.beginUnopened();
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        const sessionId = await eventually(
          'the checkout to be open',
          async () => (await payer.topUps())[0]?.session_id ?? undefined,
          { seconds: 120 },
        );
        assert.deepEqual([await count(world, 'local_checkouts'), await count(world, 'local_customers')], [1, 1]);
        await payer.settleSilently(sessionId, 'paid');
        await payer.timeIsOver(id);
        await end(world, id);
        assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
        await assertLedger(world.context.pool);
      }),
    );
  }

  for (const point of pointsOfSteps('fetchReceipt', 'checkTopUp')) {
    itBeside(`at ${point}: the next worker credits what was paid, once, and has the receipt`, () =>
      worlds.visit(async (world) => {
        const payer = await newPayer(world.context);
        const dying = await world.worker({ FAULT_AT: point });
        const { id, sessionId } = await payer.begin();
        await payer.settleSilently(sessionId, 'paid');
        await payer.timeIsOver(id);
        assert.equal(await dying.ended, 'SIGKILL');
        await assertLedger(world.context.pool);
        await world.runHere('worker');
        await end(world, id);
        assert.deepEqual(await payer.available(), { posted_cents: 1_000, held_cents: 0 });
        const receipt = await world.context.pool.oneFirst(
          sql.unsafe`select receipt_url is not null from top_ups where id = ${id}`,
        );
        assert.equal(receipt, true);
        await assertLedger(world.context.pool);
      }),
    );
  }
});
