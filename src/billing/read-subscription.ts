import { findOperator } from '../accounts/index.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { assertThat, notFound } from '../http/errors.ts';
import { changeSeal, findChangeInFlight } from './subscription-change-queries.ts';
import { findSubscription, readBillingPeriod, type SubscriptionRow } from './subscription-queries.ts';
import type { Subscription } from './subscription-schema.ts';

/** The subscription of the caller. Whoever may pay is shown where; everybody else only that something waits to be paid. */
export async function readSubscription({ pool, encryption }: Context, caller: Caller): Promise<Subscription> {
  const { operatorId } = caller;
  const [operator, row, period, change] = await Promise.all([
    findOperator(pool, operatorId),
    findSubscription(pool, operatorId),
    readBillingPeriod(pool, operatorId),
    findChangeInFlight(pool, operatorId),
  ]);
  assertThat(operator, () => notFound('operator'));
  const sealed = mayPay(caller) ? change?.checkout_url : null;
  return {
    tier: operator.tier,
    status: statusOf(row),
    billing_period: { start: period.period_start, end: period.period_end },
    cancel_at_period_end: row?.cancel_at_period_end ?? false,
    next_tier: row?.cancel_at_period_end === true ? 'free' : (row?.next_tier ?? null),
    purchased_seats: row?.purchased_seats ?? 0,
    pending_change:
      change === null || change.expires_at === null
        ? null
        : {
            tier: change.tier,
            checkout_url: typeof sealed === 'string' ? encryption.open(sealed, changeSeal(change.id)) : null,
            expires_at: change.expires_at,
          },
  };
}

const mayPay = (caller: Caller): boolean => caller.kind === 'operator' && caller.role !== 'member';

function statusOf(row: SubscriptionRow | null): Subscription['status'] {
  if (row === null || row.status === 'none' || row.status === 'ended') return 'none';
  return row.status === 'active' && row.cancel_at_period_end ? 'canceling' : row.status;
}
