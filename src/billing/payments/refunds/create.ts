import type { Answered, CommandCall } from '../../../commands/command.ts';
import { keepStatus } from '../../../commands/idempotency.ts';
import { runCommand } from '../../../commands/run.ts';
import type { Context } from '../../../context/context.ts';
import type { CommonQueryMethods } from '../../../database/pool.ts';
import { CarnetError, notFound } from '../../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../../ids/ids.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { paymentSettings } from '../settings.ts';
import { beginRefund, findRefund } from './queries.ts';
import type { Refund } from './schema.ts';

/**
 * How long a caller waits for the payment provider; after that the answer is 202 and the caller reads the refund.
 */
const WAIT_SECONDS = 10;

/**
 * Refunds a whole top-up: holds its amount, and the life of the refund pays it back through the provider. 200 where
 * that was done in time, else 202. A call that is repeated with its key gets the current state under the status of the
 * first answer.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED, NOT_FOUND, NOT_REFUNDABLE, REFUND_WINDOW_EXPIRED, ALREADY_REFUNDED,
 *   BALANCE_BELOW_TOPUP; PAYMENT_REFUSED where the provider refused: the hold is released, and the refund may be
 *   requested again.
 */
export async function refundTransaction(
  context: Context,
  call: CommandCall,
  { transactionId, signal }: { transactionId: string; signal: AbortSignal },
): Promise<Answered<Refund>> {
  const { provider } = paymentSettings(context);
  const { operatorId } = call.caller;
  const begun = await runCommand<Refund>(context, call, async (unit) => {
    const id = newId('rfd');
    const cents = await beginRefund(unit.connection, { id, holdId: newId('hld'), operatorId, transactionId, provider });
    await unit.audit('refund.begun', id, { transaction_id: transactionId, amount_cents: cents });
    await unit.wake(lifeId.refund(id));
    unit.changed(operatorId);
    return { status: 202, body: await readRefund(unit.connection, { id, operatorId }) };
  });
  const seconds = begun.replayed ? 0 : WAIT_SECONDS;
  const body = await settledRefund(context, { id: begun.body.refund_id, operatorId, limits: { seconds, signal } });
  if (body.status === 'failed') {
    const detail =
      'The payment provider did not refund this; the wallet has the money again. Request it again with a new Idempotency-Key.';
    throw new CarnetError('PAYMENT_REFUSED', detail, { extra: { refund_id: body.refund_id } });
  }
  if (begun.replayed || body.status === 'pending') return { ...begun, body };
  await keepStatus(context, call, 200);
  return { ...begun, status: 200, body };
}

async function settledRefund(
  context: Context,
  { id, operatorId, limits }: { id: string; operatorId: OperatorId; limits: { seconds: number; signal: AbortSignal } },
): Promise<Refund> {
  let latest: Refund | undefined;
  await context.rowEvents.waitFor(id, { caller: operatorId, ...limits }, async () => {
    latest = await readRefund(context.pool, { id, operatorId });
    return latest.status === 'pending' ? undefined : latest;
  });
  return latest ?? readRefund(context.pool, { id, operatorId });
}

/** @throws CarnetError NOT_FOUND */
export async function readRefund(
  connection: CommonQueryMethods,
  { id, operatorId }: { id: string; operatorId: OperatorId },
): Promise<Refund> {
  const refund = await findRefund(connection, { id, operatorId });
  if (refund === null) throw notFound('refund');
  return refund;
}
