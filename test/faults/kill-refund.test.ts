import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { newPayer } from '../billing/payments/payer.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

describe('kill -9 of a worker that refunds a top-up', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  for (const point of pointsOfSteps('advanceRefund', 'requestRefund')) {
    itBeside(`at ${point}: the next worker refunds it, once`, () =>
      worlds.visit(async (world) => {
        const payer = await newPayer(world.context);
        const dying = await world.worker({ FAULT_AT: point });
        const { transaction_id: transactionId } = await payer.paid();
        const { status, body } = await payer.refund(transactionId, { leaves: true });
        assert.deepEqual([status, body.status], [202, 'pending']);
        assert.equal(await dying.ended, 'SIGKILL');
        await assertLedger(world.context.pool);
        await world.runHere('worker');
        await world.lives.client.workflow.getHandle(lifeId.refund(body.refund_id)).result();
        assert.deepEqual(
          (await payer.refunds()).map((refund) => refund.status),
          ['succeeded'],
        );
        assert.deepEqual(await payer.available(), { posted_cents: 0, held_cents: 0 });
        const given = await world.context.pool.oneFirst(sql.unsafe`select count(*)::int from local_refunds`);
        assert.equal(given, 1);
        await assertLedger(world.context.pool);
      }),
    );
  }

  for (const point of pointsOfSteps('readRefunds'))
    itBeside(`at ${point}: the next worker reads the provider’s list, and the wallet has paid it once`, () =>
      worlds.visit(async (world) => {
        const { pool, delivery } = world.context;
        const payer = await newPayer(world.context);
        const dying = await world.worker({ FAULT_AT: point });
        const { id, payment_id: payment } = await payer.paid();
        await pool.query(sql.unsafe`
          insert into local_refunds (id, payment_id, amount_cents) values (${newId('lpay')}, ${payment}, 300)`);
        await pool.query(sql.unsafe`select report_refunds(${payment}), wake_life(${lifeId['top-up'](id)})`);
        delivery.messagesCommitted();
        assert.equal(await dying.ended, 'SIGKILL');
        await assertLedger(pool);
        await world.runHere('worker');
        await eventually('the list to be read', async () => (await payer.available()).posted_cents === 700);
        const due = sql.unsafe`select from top_ups where id = ${id} and refunds_look_at is not null`;
        await eventually('the reading to be over', async () => !(await pool.exists(due)));
        const rows = await pool.oneFirst(
          sql.unsafe`select count(*)::int from transfers where wallet = ${payer.operatorId}`,
        );
        assert.equal(rows, 2);
        await assertLedger(pool);
      }),
    );
});
