import type { Logger } from 'pino';
import type { Stripe } from 'stripe';
import type { StripeSettings } from '../../../context/config.ts';
import { type ListedRefund, PaymentRefused, type PaymentProvider } from '../../../context/payment-provider.ts';
import { paymentEventTypes } from '../fact.ts';
import { stripeCheckouts, type StripeParts } from './checkout-calls.ts';
import { createCall, createStripe, keyOfTry } from './client.ts';
import { stripePortal } from './portal-calls.ts';
import { refundStatusOf } from './statuses.ts';
import { stripeSubscriptions } from './subscription-calls.ts';

/** Stripe, by its SDK; the promises are the port's (src/context/payment-provider.ts). */
export function createStripePayments(settings: StripeSettings, log: Logger): PaymentProvider {
  const stripe = createStripe(settings);
  const parts: StripeParts = { stripe, call: createCall(log), prices: settings.prices };
  const refunds = stripeRefunds(parts);
  const { listRefunds, refund } = refunds;
  return {
    ...stripeCheckouts(parts),
    ...stripePortal(parts, log),
    ...stripeSubscriptions(parts),
    listRefunds,
    async refund(request) {
      const { providerRefundId } = await refund(request);
      return { providerRefundId };
    },
    giveSubscriptionBack: (subscriptionId) => giveSubscriptionBack(parts, refunds, subscriptionId),

    async readSubscriptionPayment(paymentId) {
      const params = {
        payment: { type: 'payment_intent', payment_intent: paymentId },
        expand: ['data.invoice'],
        limit: 1,
      } as const;
      const { data } = await parts.call('invoice_payments.list', () =>
        stripe.invoicePayments.list({ ...params, expand: [...params.expand] }),
      );
      const invoice = data[0]?.invoice;
      if (typeof invoice !== 'object' || invoice.deleted === true) return null;
      const { customer, parent } = invoice;
      const subscription = parent?.subscription_details?.subscription;
      if (subscription === undefined) return null;
      return { subscriptionId: idOf(subscription), customerId: customer === null ? null : idOf(customer) };
    },

    async readEvents({ since, after }) {
      const { data, has_more: more } = await parts.call('events.list', () =>
        stripe.events.list({
          types: [...paymentEventTypes],
          created: { gte: Math.floor(since.getTime() / 1_000) },
          limit: 100,
          ...(after !== null && { starting_after: after }),
        }),
      );
      return { events: data, after: more ? (data.at(-1)?.id ?? null) : null };
    },

    async transfer({ key, tries, operatorId, account, amountCents }) {
      // Stripe forgets keys after a day, and each try has its own; groups it keeps.
      const { data } = await parts.call('transfers.list', () =>
        stripe.transfers.list({ transfer_group: key, destination: account }),
      );
      const made = data.find(({ amount }) => amount === amountCents);
      if (made !== undefined) return { transferId: made.id };
      const metadata = { carnet_operator: operatorId, carnet_key: key };
      const params = { amount: amountCents, currency: 'usd', destination: account, transfer_group: key, metadata };
      const { id } = await parts.call('transfers.create', () =>
        stripe.transfers.create(params, { idempotencyKey: keyOfTry(key, tries) }),
      );
      return { transferId: id };
    },
  };
}

const idOf = (of: string | { id: string }): string => (typeof of === 'string' ? of : of.id);

/**
 * The newest invoice is the one of the current period; what was paid of it by card or bank and not refunded yet goes back. The refund is first: a try that
 * finds the subscription ended knows by it whether that was our doing.
 */
async function giveSubscriptionBack(
  { stripe, call }: StripeParts,
  { list, create }: Refunds,
  subscriptionId: string,
): Promise<number | null> {
  const { status, latest_invoice: invoice } = await call('subscriptions.retrieve', () =>
    stripe.subscriptions.retrieve(subscriptionId, { expand: ['latest_invoice.payments'] }),
  );
  const isOver = status === 'canceled' || status === 'incomplete_expired';
  const payments = typeof invoice === 'object' ? (invoice?.payments?.data ?? []) : [];
  const amounts: number[] = [];
  for (const { amount_paid: amountCents, payment } of payments) {
    const paymentId = typeof payment.payment_intent === 'object' ? payment.payment_intent.id : payment.payment_intent;
    if (paymentId === undefined || amountCents === null || amountCents === 0) continue;
    const key = `give-back:${subscriptionId}:${paymentId}`;
    const listed = await list(paymentId);
    let made = listed.findLast((refund) => refund.key === key);
    if (made === undefined && !isOver) {
      const left = listed.reduce(
        (rest, refund) => (refund.status === 'failed' ? rest : rest - refund.amountCents),
        amountCents,
      );
      if (left > 0) made = await create({ key, tries: 1, paymentId, amountCents: left }); // Stripe refuses to refund more
    }
    if (made?.status === 'failed')
      throw new PaymentRefused(`The refund ${made.providerRefundId} of ${paymentId} has failed.`);
    if (made !== undefined) amounts.push(made.amountCents);
  }
  if (isOver && amounts.length === 0) return null;
  if (!isOver) {
    const idempotencyKey = `give-back:${subscriptionId}`;
    await call('subscriptions.cancel', () => stripe.subscriptions.cancel(subscriptionId, {}, { idempotencyKey }));
  }
  return amounts.reduce((sum, cents) => sum + cents, 0);
}

type RefundRequest = Parameters<PaymentProvider['refund']>[0];

interface Refunds extends Pick<PaymentProvider, 'listRefunds'> {
  /** All refunds of the payment, in any currency. */
  list(paymentId: string): Promise<ListedRefund[]>;
  /** Makes one, no matter what was made under its key more than a day ago. */
  create(request: RefundRequest): Promise<ListedRefund>;
  /** The one that was made under the key, or a new one. */
  refund(request: RefundRequest): Promise<ListedRefund>;
}

function stripeRefunds({ stripe, call }: StripeParts): Refunds {
  /** All pages: a payment of many refunds has several. One that is made meanwhile may be missing, and is reported itself. */
  const listAll = async (paymentId: string): Promise<Stripe.Refund[]> => {
    const listed = new Map<string, Stripe.Refund>();
    for (let after: string | undefined, more = true; more;) {
      const params = { payment_intent: paymentId, limit: 100, ...(after !== undefined && { starting_after: after }) };
      const page = await call('refunds.list', () => stripe.refunds.list(params));
      for (const refund of page.data) listed.set(refund.id, refund);
      after = page.data.at(-1)?.id;
      more = page.has_more && after !== undefined;
    }
    return [...listed.values()];
  };

  const list = async (paymentId: string): Promise<ListedRefund[]> => (await listAll(paymentId)).map(listedOf);
  const create = async ({ key, tries, paymentId, amountCents }: RefundRequest): Promise<ListedRefund> => {
    const params = { payment_intent: paymentId, amount: amountCents, metadata: { carnet_key: key } };
    return listedOf(
      await call('refunds.create', () => stripe.refunds.create(params, { idempotencyKey: keyOfTry(key, tries) })),
    );
  };

  return {
    list,
    create,
    async listRefunds(paymentId) {
      const refunds = await listAll(paymentId);
      // A wallet takes payments in dollars alone. What is given back of a subscription has the currency of its price.
      const foreign = refunds.find(({ currency }) => currency !== 'usd');
      if (foreign !== undefined) throw new PaymentRefused(`The refund ${foreign.id} is in ${foreign.currency}.`);
      return refunds.map(listedOf);
    },
    // Stripe forgets keys after a day, but not what they made.
    refund: async (request) =>
      (await list(request.paymentId)).findLast(({ key }) => key === request.key) ?? (await create(request)),
  };
}

/** Characters that keys of ours are made of; anything else was written by others, and may be a text that cannot be kept. */
const KEY = /^[\w:-]+$/;

function listedOf({ id, amount, status, created, metadata }: Stripe.Refund): ListedRefund {
  return {
    providerRefundId: id,
    amountCents: amount,
    status: refundStatusOf(status),
    key: KEY.test(metadata?.carnet_key ?? '') ? (metadata?.carnet_key ?? null) : null,
    madeAt: new Date(created * 1_000),
  };
}
