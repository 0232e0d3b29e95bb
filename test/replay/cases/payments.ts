import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { newPayer, type Payer } from '../../billing/payments/payer.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const by =
  (act: (rig: Rig, payer: Payer) => Promise<Run>): Case =>
  async (rig) =>
    act(rig, await newPayer(rig.context));

const runOfTopUp = (rig: Rig, id: string): Run => runOf(rig, lifeId['top-up'](id));

/** The local provider refuses for good a key that stands for another request. */
export const refuseAt = async ({ context: { pool } }: Rig, key: string): Promise<void> => {
  await pool.query(sql.unsafe`insert into local_calls (key, request) values (${key}, '{}')`);
};

export const payments: Cases = {
  'topUp/paid': by(async (rig, payer) => runOfTopUp(rig, (await payer.paid()).id)),
  'topUp/paid-without-webhook': by(async (rig, payer) => {
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'paid');
    await payer.timeIsOver(id);
    return runOfTopUp(rig, id);
  }),
  'topUp/refunds-read': by(async (rig, payer) => {
    const { pool } = rig.context;
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'paid');
    await pool.query(sql.unsafe`
      insert into local_refunds (id, payment_id, amount_cents)
      select ${newId('lpay')}, id, 300 from local_payments where checkout_id = ${sessionId}`);
    await pool.query(sql.unsafe`select report_refunds(id) from local_payments where checkout_id = ${sessionId}`);
    await payer.timeIsOver(id);
    return runOfTopUp(rig, id);
  }),
  'topUp/expired': by(async (rig, payer) => {
    const { id } = await payer.begin();
    await payer.timeIsOver(id);
    return runOfTopUp(rig, id);
  }),
  'topUp/refused': by(async (rig, { operatorId }) => {
    const id = newId('top');
    await refuseAt(rig, id);
    await rig.context.pool.query(sql.unsafe`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (${id}, ${operatorId}, 'local', 1000, 86400, 'http://carnet.test', clock_timestamp() + interval '1 day')`);
    await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId['top-up'](id)})`);
    rig.context.delivery.messagesCommitted();
    return runOfTopUp(rig, id);
  }),
  'topUp/signals-refused': by(async (rig, payer) => {
    const { id, sessionId } = await payer.begin();
    const run = runOfTopUp(rig, id);
    await run.showing(/^Waits for the payment/);
    await run.handle.cancel();
    await run.handle.signal('nonsense');
    await run.showing(/Refused signal nonsense/);
    await payer.settleSilently(sessionId, 'failed');
    await payer.timeIsOver(id);
    return run;
  }),
  'refund/succeeded': by(async (rig, payer) => {
    const { transaction_id: transactionId } = await payer.paid();
    return runOf(rig, lifeId.refund((await payer.refund(transactionId)).body.refund_id));
  }),
  'refund/refused': by(async (rig, payer) => {
    const { transaction_id: transactionId } = await payer.paid();
    await refuseAt(rig, `refund:${transactionId}`);
    return runOf(rig, lifeId.refund((await payer.refund(transactionId, { leaves: true })).body.refund_id));
  }),
};

/** The life of a top-up that waits to be paid. */
export const waitingTopUp = async (rig: Rig): Promise<string> =>
  lifeId['top-up']((await (await newPayer(rig.context)).begin()).id);
