import { sql } from '../src/database/pool.ts';
import { newId } from '../src/ids/ids.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { newPayer, type Payer } from '../test/billing/payments/payer.ts';
import type { Rig } from '../test/temporal/rig.ts';
import { runOf, type Run } from '../test/temporal/runs.ts';

const runOfTopUp = (rig: Rig, id: string): Run => runOf(rig, lifeId['top-up'](id));

/** A key that stands for another request is refused for good. */
const refuseAt = async ({ context: { pool } }: Rig, key: string): Promise<void> => {
  await pool.query(sql.unsafe`insert into local_calls (key, request) values (${key}, '{}')`);
};

/** What becomes of a top-up. */
const topUp: Record<string, (rig: Rig, payer: Payer) => Promise<Run>> = {
  paid: async (rig, payer) => runOfTopUp(rig, (await payer.paid()).id),
  'asked-and-paid': async (rig, payer) => {
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'paid');
    await payer.timeIsOver(id);
    return runOfTopUp(rig, id);
  },
  expired: async (rig, payer) => {
    const { id } = await payer.begin();
    await payer.timeIsOver(id);
    return runOfTopUp(rig, id);
  },
  refused: async (rig, { operatorId }) => {
    const id = newId('top');
    await refuseAt(rig, id);
    await rig.context.pool.query(sql.unsafe`
      insert into top_ups (id, operator_id, provider, amount_cents, expires_at)
      values (${id}, ${operatorId}, 'local', 1000, clock_timestamp() + interval '1 day')`);
    await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId['top-up'](id)})`);
    rig.context.delivery.messagesCommitted();
    return runOfTopUp(rig, id);
  },
  'signals-refused': async (rig, payer) => {
    const { id, sessionId } = await payer.begin();
    const run = runOfTopUp(rig, id);
    await run.handle.cancel();
    await run.handle.signal('nonsense');
    await run.saying(/Refused signal nonsense/);
    await payer.settleSilently(sessionId, 'failed');
    await payer.timeIsOver(id);
    return run;
  },
};

/** What becomes of a refund. */
const refund: Record<string, (rig: Rig, payer: Payer) => Promise<Run>> = {
  succeeded: async (rig, payer) => {
    const { transaction_id: transactionId } = await payer.paid();
    return runOf(rig, lifeId.refund((await payer.refund(transactionId)).body.refund_id));
  },
  refused: async (rig, payer) => {
    const { transaction_id: transactionId } = await payer.paid();
    await refuseAt(rig, `refund:${transactionId}`);
    return runOf(rig, lifeId.refund((await payer.refund(transactionId, { leaves: true })).body.refund_id));
  },
};

/** Top-ups and refunds, to their ends, by the names of their histories. */
export async function playPayments(rig: Rig): Promise<[name: string, run: Run][]> {
  const played: [string, Run][] = [];
  for (const [workflow, plays] of Object.entries({ topUp, refund })) {
    for (const [name, play] of Object.entries(plays)) {
      const run = await play(rig, await newPayer(rig.context));
      await run.ended();
      played.push([`${workflow}/${name}`, run]);
    }
  }
  return played;
}

/** The life of a top-up that waits to be paid. */
export async function waitingTopUp(rig: Rig): Promise<string> {
  return lifeId['top-up']((await (await newPayer(rig.context)).begin()).id);
}
