import type { Context } from '../../../context/context.ts';
import { faultPoint } from '../../../commands/fault-points.ts';
import { describeLives, type LifeDescription } from '../../../commands/life-description.ts';
import { NotDone, PaymentRefused } from '../../../context/payment-provider.ts';
import type { RefundStep } from '../step.ts';
import {
  advanceRefundRow,
  countRefundTry,
  describeRefundRows,
  findPendingRefund,
  releaseRefusedRefund,
} from './queries.ts';
import { readRefunds } from './read.ts';

/**
 * One step of the life of a refund: deletes the messages that woke it and returns what is next. By the row, so it may
 * run any number of times.
 */
export async function advanceRefund({ pool }: Context, id: string): Promise<RefundStep> {
  const { status, action, wait_ms: waitMs, until } = await advanceRefundRow(pool, id);
  return { status, action, waitMs, until };
}

/**
 * Requests the refund from the provider, and then reads its list, which says its outcome: what is held is captured
 * or released by that alone. An answer that was lost is no refusal: the request is made again under the same key; one that was answered and
 * not done under another one (`NotDone`).
 */
export async function requestRefund(context: Context, id: string): Promise<void> {
  const { pool, log, rowEvents, payments } = context;
  const refund = await findPendingRefund(pool, id);
  if (refund === null) return;
  const {
    key,
    tries,
    payment_id: paymentId,
    amount_cents: amountCents,
    top_up_id: topUpId,
    is_listed: isListed,
  } = refund;
  const isRefused = await (isListed ? Promise.resolve() : payments.refund({ key, tries, paymentId, amountCents })).then(
    () => false,
    async (error: unknown) => {
      if (error instanceof NotDone) await countRefundTry(pool, id, tries);
      if (!(error instanceof PaymentRefused)) throw error;
      log.error({ refundId: id, reason: error.message }, 'the payment provider refuses a refund');
      return true;
    },
  );
  faultPoint('requestRefund:answered');
  const isRead = await readRefunds(context, topUpId);
  // Where the list cannot be read, nobody knows whether an earlier request had made it.
  if (isRefused && isRead && (await releaseRefusedRefund(pool, id))) rowEvents.changed(id, refund.operator_id);
}

/** One query for several ids; ids without a row are left out. */
export const describeRefunds = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(
    await describeRefundRows(pool, ids),
    ({ id, operator_id: operatorId, transaction_id: transactionId, amount_cents: cents }) => ({
      operatorIds: [operatorId],
      summary: `Refund of ${cents} cents for ${operatorId}`,
      details: `Refund \`${id}\` of ${cents} cents, the top-up \`${transactionId}\` of \`${operatorId}\``,
    }),
  );
