import { faultPoint } from '../../../commands/fault-points.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';
import type { Context } from '../../../context/context.ts';
import { PaymentRefused } from '../../../context/payment-provider.ts';
import { paymentSettings } from '../settings.ts';
import { beginRefundReading, noteUnreadRefunds, setRefunds, type RefundReading } from './queries.ts';

/** A list is read again where another one was set meanwhile; two lives read those of a payment at most. */
const TRIES = 5;

/**
 * Reads the provider's list of refunds of a top-up's payment, and sets refunds and wallet by it (decision B10). Every
 * report about refunds, every step by hand and every request of our own ends here.
 * @returns false: nothing was paid, or the provider refuses to list them; nothing moves, and a person must look
 * @throws what kept the list from being read or set: it is to be read again. After an hour of that a person must look.
 */
export async function readRefunds(context: Context, topUpId: string): Promise<boolean> {
  const { pool, log, rowEvents } = context;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const reading = await beginRefundReading(pool, topUpId);
    if (reading === null) return false;
    try {
      const list = await listRefunds(context, reading);
      faultPoint('readRefunds:listed');
      const { is_set: isSet, owner, settled } = await setRefunds(pool, { topUpId, reading, list });
      if (!isSet) continue;
      rowEvents.changed(owner, ...settled);
      return true;
    } catch (error) {
      const isFinal = error instanceof PaymentRefused;
      await noteUnreadRefunds(pool, { topUpId, reading, isFinal });
      if (!isFinal) throw error;
      log.error(
        { topUpId, reason: error.message },
        'the payment provider does not list the refunds of a payment; a person must look',
      );
      return false;
    }
  }
  throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'The refunds of this payment are being read by others.');
}

function listRefunds(context: Context, { payment, provider }: RefundReading) {
  if (paymentSettings(context).provider !== provider)
    throw new PaymentRefused(`The payment ${payment} was made through another provider than the one in use.`);
  return context.payments.listRefunds(payment);
}
