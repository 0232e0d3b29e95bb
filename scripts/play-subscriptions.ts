import { ensureOperator } from '../src/accounts/index.ts';
import { cancelSubscription } from '../src/billing/subscriptions/cancel.ts';
import { settle } from '../src/billing/payments/local/settle.ts';
import { openPortal } from '../src/billing/subscriptions/portal/create.ts';
import { setSeats } from '../src/billing/subscriptions/seats.ts';
import { subscribe } from '../src/billing/subscriptions/subscribe.ts';
import { sql } from '../src/database/pool.ts';
import type { OperatorId } from '../src/ids/ids.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { callOf } from '../test/invocations/own-context.ts';
import { eventually } from '../test/support/eventually.ts';
import { endLocalPeriod } from '../test/support/local-payments.ts';
import { unique } from '../test/support/factories.ts';
import type { Rig } from '../test/temporal/rig.ts';
import { runOf, type Run } from '../test/temporal/runs.ts';

export interface Subscriber {
  operatorId: OperatorId;
  sessionId: string;
  life: Run;
}

/** An operator whose checkout for pro is open. */
export async function beginSubscription(rig: Rig): Promise<Subscriber> {
  const name = unique('subscriber');
  const operatorId = await ensureOperator(rig.context, { name, email: `${name}@example.test`, tier: 'free' });
  const { body } = await subscribe(rig.context, callOf(operatorId, 'subscribe'), { tier: 'pro' });
  const life = runOf(rig, lifeId.subscription(operatorId));
  await life.saying(/^Waits for the payment/);
  return { operatorId, sessionId: body.session_id ?? '', life };
}

const heard = async ({ context: { pool } }: Rig, operatorId: string): Promise<void> => {
  await pool.query(sql.unsafe`update subscriptions set ask_at = clock_timestamp() where operator_id = ${operatorId}`);
  await pool.query(sql.unsafe`select wake_life(${lifeId.subscription(operatorId)})`);
};

const cancel = ({ context }: Rig, operatorId: string) =>
  cancelSubscription(context, callOf(operatorId, 'cancelSubscription'));

/** The lives of subscriptions that are worth keeping, each played to its end. */
export const operatorSubscription: Record<string, (rig: Rig, subscriber: Subscriber) => Promise<unknown>> = {
  'bought-and-ended': async (rig, { operatorId, sessionId, life }) => {
    const { pool } = rig.context;
    await settle(rig.context, sessionId, 'paid');
    await heard(rig, operatorId);
    await life.saying(/^Tier pro, active/);
    await setSeats(rig.context, callOf(operatorId, 'setSeats'), { purchased_seats: 1 });
    await cancel(rig, operatorId);
    await eventually('the provider to be told', () =>
      pool.exists(sql.unsafe`select from subscriptions where operator_id = ${operatorId} and revision = told_revision`),
    );
    await endLocalPeriod(
      pool,
      String(
        await pool.oneFirst(sql.unsafe`select subscription_id from subscriptions where operator_id = ${operatorId}`),
      ),
    );
    await heard(rig, operatorId);
  },
  abandoned: (rig, { operatorId }) => cancel(rig, operatorId),
  'signals-refused': async (rig, { operatorId, life }) => {
    await life.handle.signal('paid', {});
    await life.handle.cancel();
    await life.saying(/Refused to cancel/);
    await cancel(rig, operatorId);
  },
};

/** A portal, opened for whoever waits. @returns its life */
export async function playPortal(rig: Rig): Promise<Run> {
  const name = unique('customer');
  const operatorId = await ensureOperator(rig.context, { name, email: `${name}@example.test`, tier: 'free' });
  await openPortal(rig.context, callOf(operatorId, 'openPortal'));
  return runOf(
    rig,
    lifeId.portal(
      String(
        await rig.context.pool.oneFirst(sql.unsafe`select id from portal_sessions order by created_at desc limit 1`),
      ),
    ),
  );
}
