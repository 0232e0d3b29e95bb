import { z } from 'zod';
import type { Context } from '../../../context/context.ts';
import { PaymentRefused } from '../../../context/payment-provider.ts';
import { sql } from '../../../database/pool.ts';
import type { DisputeFact } from '../event.ts';
import { paysTopUp } from '../queries.ts';

/** A subscription whose payment is disputed, and whose it is. */
export interface DisputedSubscription {
  subscriptionId: string;
  operatorId: string;
}

/**
 * Finds whose payment for a subscription a dispute is about: the event names the payment alone, so the provider is asked, before the
 * event is applied: there is no row yet that a life could be named after. Null where it pays a top-up, or nothing of ours.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE where the provider does not answer: it sends the event again
 */
export async function disputedSubscription(
  { pool, payments }: Context,
  { paymentId }: DisputeFact,
): Promise<DisputedSubscription | null> {
  if (await paysTopUp(pool, paymentId)) return null;
  const paid = await payments.readSubscriptionPayment(paymentId).catch((error: unknown) => {
    if (error instanceof PaymentRefused) return null;
    throw error;
  });
  if (paid === null) return null;
  const { subscriptionId, customerId } = paid;
  const owner = await pool.maybeOne(sql.type(z.object({ operator_id: z.string() }))`
    select operator_id from subscriptions where subscription_id = ${subscriptionId}
    union all select operator_id from payment_customers where customer_id = ${customerId}
    limit 1`);
  return owner === null ? null : { subscriptionId, operatorId: owner.operator_id };
}
