import { z } from 'zod';
import type { PaymentSettings } from '../../../context/config.ts';
import type { Context } from '../../../context/context.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';
import { parseOrRefuse } from '../../../errors/faults.ts';
import type { NamedPage } from '../../../http/pages/page.ts';
import { htmlPage } from '../../../http/pages/shell.ts';
import { idInAddress, pathOfPage, pathOfPages, type LocalPage } from './addresses.ts';
import { checkoutPage } from './checkout-page.ts';
import { portalPage } from './portal-page.ts';
import { findCheckout, findPortal, findReceipt, findSubscription, listPayments } from './queries.ts';
import { receiptPage } from './receipt-page.ts';
import { Outcome, settle } from './settle.ts';
import { deliverEvents } from './webhooks.ts';

const CheckoutForm = z.strictObject({ outcome: Outcome });

/**
 * The pages of the local provider by path; none where another provider is set. Only the address opens
 * them, and no cookie is read. So another site cannot make a browser do anything here that it could not do itself, and
 * the forms need no check of their origin, which keeps them usable with curl.
 */
export function localPaymentPages(context: Context): [string, NamedPage][] {
  const { payments } = context.config;
  if (payments?.provider !== 'local') return [];
  return [
    [pathOfPages('checkout'), checkoutPages(context, payments)],
    [pathOfPages('receipt'), receiptPages(context)],
    [pathOfPages('portal'), portalPages(context)],
  ];
}

const absent: Record<LocalPage, string> = {
  checkout: 'There is no checkout at this address. Open it again from where you came.',
  receipt: 'There is no receipt at this address.',
  portal:
    'There is no page at this address, or the hour that it is open for is over. Open it again from where you came.',
};
const missing = (kind: LocalPage): CarnetError => new CarnetError('NOT_FOUND', absent[kind]);

/** @throws CarnetError NOT_FOUND for an address that is not one of ours. */
function idOf(context: Context, kind: LocalPage, segment: string): string {
  const id = idInAddress(context, kind, segment);
  if (id === undefined) throw missing(kind);
  return id;
}

function checkoutPages(context: Context, payments: PaymentSettings): NamedPage {
  return {
    operation: 'localCheckout',
    forPeople: true,
    async page({ id: segment }) {
      const checkout = await findCheckout(context.pool, idOf(context, 'checkout', segment));
      if (checkout === null) throw missing('checkout');
      const { receipt_id: receipt } = checkout;
      return htmlPage(checkoutPage(checkout, receipt === null ? null : pathOfPage(context, 'receipt', receipt)));
    },
    async submit({ id: segment, form }) {
      const id = idOf(context, 'checkout', segment);
      const { outcome } = parseOrRefuse(CheckoutForm, form);
      const events = await settle(context, id, outcome);
      if (events === null) throw missing('checkout');
      await deliverEvents(context, payments, events);
      return {
        status: 303,
        type: 'text/plain; charset=utf-8',
        body: 'See the checkout.\n',
        location: pathOfPage(context, 'checkout', id),
      };
    },
  };
}

function receiptPages(context: Context): NamedPage {
  return {
    operation: 'localReceipt',
    forPeople: true,
    async page({ id: segment }) {
      const payment = await findReceipt(context.pool, idOf(context, 'receipt', segment));
      if (payment === null) throw missing('receipt');
      return htmlPage(receiptPage(payment));
    },
  };
}

function portalPages(context: Context): NamedPage {
  const { pool } = context;
  return {
    operation: 'localPortal',
    forPeople: true,
    async page({ id: segment }) {
      const portal = await findPortal(pool, idOf(context, 'portal', segment));
      if (portal === null) throw missing('portal');
      const subscription =
        portal.subscription_id === null
          ? null
          : await pool.transaction((connection) => findSubscription(connection, portal.subscription_id ?? ''));
      const payments = (await listPayments(pool, portal.customer_id)).map((payment) => ({
        ...payment,
        receipt: pathOfPage(context, 'receipt', payment.receipt_id),
      }));
      return htmlPage(portalPage({ operatorName: portal.operator_name, subscription, payments }));
    },
  };
}
