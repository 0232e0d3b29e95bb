import type { Context } from '../../context/context.ts';
import { noteSchedule } from '../../commands/schedules.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { NotDone, PaymentRefused } from '../../context/payment-provider.ts';
import {
  advancePayoutRow,
  countPayoutTry,
  findTransferringPayout,
  openPayoutRows,
  settlePayoutRow,
  type OpenedPayouts,
  type PayoutsProgress,
} from './queries.ts';
import type { PayoutState } from './schema.ts';

/** Operators a batch: one short transaction. It reads the captures of some weeks of each, and the step has five seconds. */
const BATCH = 50;

/**
 * Makes the statements of a month for the next operators that have earnings, each once however often this runs, and
 * wakes the lives of those to be paid out.
 */
export async function openPayouts(
  { config, pool, delivery }: Context,
  progress: PayoutsProgress,
): Promise<OpenedPayouts> {
  const { commissionBps, minPayoutCents: minimumCents, payoutTopUpAgeDays: ageDays } = config;
  const opened = await openPayoutRows(pool, { ...progress, limit: BATCH, commissionBps, minimumCents, ageDays });
  if (opened.last === null) await noteSchedule(pool, 'monthly-payouts');
  if (opened.due > 0) delivery.messagesCommitted();
  return opened;
}

/** Where a payout stands; until `due` has changed its life waits to be woken. */
interface PayoutStep {
  status: PayoutState;
  waitMs: null;
}

/**
 * One step of the life of a payout: begins the transfer of one that is due, where a provider is configured. By the row,
 * so it may run any number of times.
 * @param payoutId `op_…:YYYY-MM`
 */
export const advancePayout = async ({ config, pool }: Context, payoutId: string): Promise<PayoutStep> => ({
  status: await advancePayoutRow(pool, { payoutId, configured: config.payments !== undefined }),
  waitMs: null,
});

/**
 * Has the provider transfer what is under way, and writes down what came of it; nothing is done where it is over. A try
 * whose answer was lost is made again under the same key with the same account and amount, so the provider transfers
 * once. One that was answered and not done is made again under another key (`NotDone`).
 * @throws what the provider throws that is no final refusal: the outcome is unknown.
 */
export async function transferPayout({ pool, log, payments }: Context, payoutId: string): Promise<void> {
  const payout = await findTransferringPayout(pool, payoutId);
  if (payout === null) return;
  const { operator_id: operatorId, account, net_cents: amountCents, tries } = payout;
  const transfer = payments.transfer({ key: `payout:${payoutId}`, tries, operatorId, account, amountCents });
  const done = await transfer.catch(async (error: unknown) => {
    if (error instanceof NotDone) await countPayoutTry(pool, payoutId, tries);
    if (!(error instanceof PaymentRefused)) throw error;
    log.warn(
      { payoutId, reason: error.message },
      'the payment provider refuses a payout; it goes back to the earnings',
    );
    return null;
  });
  faultPoint('transferPayout:transferred');
  await settlePayoutRow(pool, payoutId, done?.transferId ?? null);
}
