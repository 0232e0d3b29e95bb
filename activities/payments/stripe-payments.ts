import { type PaymentProvider, type RefundState, refundStatusOf } from '../../src/billing/index.ts';
import type { Logger } from 'pino';
import type { Stripe } from 'stripe';
import type { StripeSettings } from '../../src/context/config.ts';
import { stripeCheckouts, type StripeParts } from './stripe-checkouts.ts';
import { createCall, createStripe } from './stripe-client.ts';
import { stripeSubscriptions } from './stripe-subscriptions.ts';

/** Stripe, by its SDK; the promises are the port's (src/billing/payments/provider.ts). */
export function createStripePayments(
  settings: StripeSettings,
  config: StripeParts['config'],
  log: Logger,
): PaymentProvider {
  const stripe = createStripe(settings);
  const parts: StripeParts = { stripe, call: createCall(log), config, prices: settings.prices };
  return {
    ...stripeCheckouts(parts),
    ...stripeSubscriptions(parts),
    ...stripeRefunds(parts),

    async transfer({ key, operatorId, account, amountCents }) {
      // Stripe forgets keys after a day, and an outcome may stay unknown for longer; groups it keeps.
      const { data } = await parts.call('transfers.list', () =>
        stripe.transfers.list({ transfer_group: key, destination: account }),
      );
      const made = data.find(({ amount }) => amount === amountCents);
      if (made !== undefined) return { transferId: made.id };
      const metadata = { carnet_operator: operatorId, carnet_key: key };
      const params = { amount: amountCents, currency: 'usd', destination: account, transfer_group: key, metadata };
      const { id } = await parts.call('transfers.create', () =>
        stripe.transfers.create(params, { idempotencyKey: key }),
      );
      return { transferId: id };
    },
  };
}

function stripeRefunds({ stripe, call }: StripeParts): Pick<PaymentProvider, 'refund' | 'readRefund'> {
  const readRefund = async (providerRefundId: string): Promise<RefundState> =>
    stateOf(await call('refunds.retrieve', () => stripe.refunds.retrieve(providerRefundId, { expand: [RETURN] })));

  /** The refund that was made under the key. Stripe forgets keys after a day, but not what they made. */
  const find = async (key: string, paymentId: string): Promise<RefundState | undefined> => {
    const params = { payment_intent: paymentId, limit: 100, expand: [`data.${RETURN}`] };
    const { data } = await call('refunds.list', () => stripe.refunds.list(params));
    const made = data.find(({ metadata }) => metadata?.carnet_key === key);
    return made === undefined ? undefined : stateOf(made);
  };

  return {
    readRefund,
    async refund({ key, paymentId, amountCents }) {
      const earlier = await find(key, paymentId);
      if (earlier !== undefined) return earlier;
      const params = { payment_intent: paymentId, amount: amountCents, metadata: { carnet_key: key } };
      return stateOf(await call('refunds.create', () => stripe.refunds.create(params, { idempotencyKey: key })));
    },
  };
}

/** The member of a refund that says when a failed one came back: its time is that of this transaction. */
const RETURN = 'failure_balance_transaction';

const stateOf = ({ id, status, failure_balance_transaction: back }: Stripe.Refund): RefundState => ({
  providerRefundId: id,
  status: refundStatusOf(status),
  cameBackAt: typeof back === 'object' && back !== null ? new Date(back.created * 1_000) : null,
});
