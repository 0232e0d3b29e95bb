import { ensureOperator } from '../../../src/accounts/index.ts';
import { cancelSubscription } from '../../../src/billing/subscriptions/cancel.ts';
import { settle } from '../../../src/billing/payments/local/settle.ts';
import { openPortal } from '../../../src/billing/subscriptions/portal/create.ts';
import { setSeats } from '../../../src/billing/subscriptions/seats.ts';
import { subscribe } from '../../../src/billing/subscriptions/subscribe.ts';
import { sql } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { beginUnopened } from '../../billing/payments/silent-provider.ts';
import { callOf } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { endLocalPeriod } from '../../support/local-payments.ts';
import { unique } from '../../support/factories.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

interface Subscriber {
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
  await life.showing(/^Waits for the payment/);
  return { operatorId, sessionId: body.session_id ?? '', life };
}

/** As after an event of the provider. */
const fetchNow = async ({ context: { pool } }: Rig, operatorId: string): Promise<void> => {
  await pool.query(
    sql.unsafe`update subscriptions set next_call_at = clock_timestamp() where operator_id = ${operatorId}`,
  );
  await pool.query(sql.unsafe`select wake_life(${lifeId.subscription(operatorId)})`);
};

const cancel = ({ context }: Rig, operatorId: string) =>
  cancelSubscription(context, callOf(operatorId, 'cancelSubscription'));

const begun =
  (act: (rig: Rig, subscriber: Subscriber) => Promise<unknown>): Case =>
  async (rig) => {
    const subscriber = await beginSubscription(rig);
    await act(rig, subscriber);
    return subscriber.life;
  };

export const subscriptions: Cases = {
  'subscription/bought-and-ended': begun(async (rig, { operatorId, sessionId, life }) => {
    const { pool } = rig.context;
    await settle(rig.context, sessionId, 'paid');
    await fetchNow(rig, operatorId);
    await life.showing(/^Tier pro, active/);
    await setSeats(rig.context, callOf(operatorId, 'setSeats'), { purchased_seats: 1 });
    await cancel(rig, operatorId);
    await eventually('the decision to be pushed', () =>
      pool.exists(
        sql.unsafe`select from subscriptions where operator_id = ${operatorId} and revision = pushed_revision`,
      ),
    );
    const id = await pool.oneFirst(
      sql.unsafe`select subscription_id from subscriptions where operator_id = ${operatorId}`,
    );
    await endLocalPeriod(pool, String(id));
    await fetchNow(rig, operatorId);
  }),
  'subscription/abandoned': begun((rig, { operatorId }) => cancel(rig, operatorId)),
  'subscription/signals-refused': begun(async (rig, { operatorId, life }) => {
    await life.handle.signal('paid', {});
    await life.handle.cancel();
    await life.showing(/Refused to cancel/);
    await cancel(rig, operatorId);
  }),
  'portal/opened': async (rig) => {
    const name = unique('customer');
    const operatorId = await ensureOperator(rig.context, { name, email: `${name}@example.test`, tier: 'free' });
    const life = await beginUnopened(
      rig.context,
      (silent) => openPortal(silent, callOf(operatorId, 'openPortal')),
      async () =>
        lifeId.portal(
          String(
            await rig.context.pool.oneFirst(
              sql.unsafe`select id from portal_sessions where operator_id = ${operatorId}`,
            ),
          ),
        ),
    );
    return runOf(rig, life);
  },
};
