import { wakeInBatches, type Woken } from '../../../commands/batches.ts';
import type { Context } from '../../../context/context.ts';
import { step } from '../../../commands/fault-points.ts';
import { describeLives, type LifeDescription } from '../life-description.ts';
import { PaymentRefused, type PaymentsContext } from '../provider.ts';
import { settleRefund, type RefundOutcome } from '../queries.ts';
import type { RefundStep } from '../step.ts';
import { advanceRefundRow, describeRefundRows, findPendingRefund, reconcileRefundRows } from './queries.ts';

/**
 * One step of the life of a refund: deletes the messages that woke it and returns what is next. By the row, so it may
 * run any number of times.
 */
export async function advanceRefund({ pool }: Context, id: string): Promise<RefundStep> {
  const { status, action, wait_ms: waitMs, until } = await advanceRefundRow(pool, id);
  return { status, action, waitMs, until };
}

/**
 * Requests the refund from the provider, or reads what became of it, and captures or releases what is held. An answer
 * that was lost is no refusal: the request is made again under the same key.
 */
export async function requestRefund(context: PaymentsContext, id: string): Promise<void> {
  const { pool, log, rowEvents, payments } = context;
  const refund = await findPendingRefund(pool, id);
  if (refund === null) return;
  const request = async (): Promise<RefundOutcome> => {
    if (refund.provider_refund_id !== null) return payments.readRefund(refund.provider_refund_id);
    const { key, payment_id: paymentId, amount_cents: amountCents } = refund;
    return payments.refund({ key, paymentId, amountCents });
  };
  const outcome = await request().catch((error: unknown): RefundOutcome => {
    if (!(error instanceof PaymentRefused)) throw error;
    if (refund.provider_refund_id !== null) {
      // It made one: not to know it now, as under another account's key, undoes nothing.
      log.error(
        { refundId: id, reason: error.message },
        'the payment provider does not know a refund that it made; a person must look',
      );
      return { providerRefundId: null, status: 'pending', madeAt: null, cameBackAt: null };
    }
    log.error({ refundId: id, reason: error.message }, 'the payment provider refuses a refund');
    return { providerRefundId: null, status: 'failed', madeAt: null, cameBackAt: null };
  });
  step('requestRefund:answered');
  await settleRefund(pool, id, outcome);
  rowEvents.changed(id, refund.operator_id);
}

/** One query for several ids; ids without a row are left out. */
export const describeRefunds = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(
    await describeRefundRows(pool, ids),
    ({ id, operator_id: operatorId, transaction_id: transactionId, amount_cents: cents }) => ({
      summary: `Refund of ${cents} cents for ${operatorId}`,
      details: `Refund \`${id}\` of ${cents} cents, the top-up \`${transactionId}\` of \`${operatorId}\``,
    }),
  );

/** Wakes refunds that no life seems to hold. */
export const reconcileRefunds = ({ pool, delivery }: Context): Promise<Woken> =>
  wakeInBatches(delivery, () => reconcileRefundRows(pool));
