import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { changeEncryptionContext } from './change-queries.ts';
import { readStanding } from './queries.ts';
import type { Subscription } from './schema.ts';

/**
 * The subscription of the caller. Callers who may pay see the checkout_url; others see only that a change waits to be
 * paid.
 */
export async function readSubscription({ pool, encryption }: Context, caller: Caller): Promise<Subscription> {
  const row = await readStanding(pool, caller.operatorId);
  assertThat(row, () => notFound('operator'));
  const { change_id: id, change_tier: tier, change_expires_at: expiresAt, checkout_url: sealed } = row;
  const url =
    id === null || sealed === null || !mayPay(caller) ? null : encryption.decrypt(sealed, changeEncryptionContext(id));
  return {
    tier: row.operator_tier,
    status: statusOf(row),
    billing_period: { start: row.period_start, end: row.period_end },
    cancel_at_period_end: row.cancel_at_period_end,
    next_tier: row.cancel_at_period_end ? 'free' : row.next_tier,
    purchased_seats: row.purchased_seats,
    pending_change: tier === null || expiresAt === null ? null : { tier, checkout_url: url, expires_at: expiresAt },
  };
}

const mayPay = (caller: Caller): boolean => caller.kind === 'operator' && caller.role !== 'member';

function statusOf({
  status,
  cancel_at_period_end: canceled,
}: NonNullable<Awaited<ReturnType<typeof readStanding>>>): Subscription['status'] {
  if (status === 'none' || status === 'ended') return 'none';
  return status === 'active' && canceled ? 'canceling' : status;
}
