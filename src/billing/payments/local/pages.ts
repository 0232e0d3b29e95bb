import { z } from 'zod';
import type { PaymentSettings } from '../../../context/config.ts';
import type { Context } from '../../../context/context.ts';
import { notFound } from '../../../errors/carnet-error.ts';
import { parseOrRefuse } from '../../../errors/faults.ts';
import type { Html } from '../../../http/pages/html.ts';
import type { NamedPage, Page } from '../../../http/pages/page.ts';
import { idInAddress, LOCAL_PAGES, pathOfPage, pathOfPages, type LocalPage } from './addresses.ts';
import { checkoutPage } from './checkout-page.ts';
import { portalPage } from './portal-page.ts';
import { findCheckout, findPortal, findReceipt, findSubscription, listPayments } from './queries.ts';
import { receiptPage } from './receipt-page.ts';
import { Outcome, settle } from './settle.ts';
import { stylesheet } from './stylesheet.ts';
import { deliverEvents } from './webhooks.ts';

const CheckoutForm = z.strictObject({ outcome: Outcome });

/**
 * The pages of the local provider by path; none where another provider is set (decision B8). Only the address opens
 * them, and no cookie is read. So another site cannot make a browser do anything here that it could not do itself, and
 * the forms need no check of their origin, which keeps them usable with curl.
 */
export function localPaymentPages(context: Context): [string, NamedPage][] {
  const { payments } = context.config;
  if (payments?.provider !== 'local') return [];
  return [
    [`${LOCAL_PAGES}/style.css`, style],
    [pathOfPages('checkout'), checkoutPages(context, payments)],
    [pathOfPages('receipt'), receiptPages(context)],
    [pathOfPages('portal'), portalPages(context)],
  ];
}

const style: NamedPage = {
  operation: 'localPaymentStyle',
  page: () => ({ status: 200, type: 'text/css; charset=utf-8', body: stylesheet, cacheControl: 'public, max-age=300' }),
};

const htmlPage = ({ text }: Html): Page => ({ status: 200, type: 'text/html; charset=utf-8', body: text });

/** @throws CarnetError NOT_FOUND for an address that is not one of ours. */
function idOf(context: Context, kind: LocalPage, segment: string): string {
  const id = idInAddress(context, kind, segment);
  if (id === undefined) throw notFound(kind);
  return id;
}

function checkoutPages(context: Context, payments: PaymentSettings): NamedPage {
  return {
    operation: 'localCheckout',
    async page({ id: segment }) {
      const checkout = await findCheckout(context.pool, idOf(context, 'checkout', segment));
      if (checkout === null) throw notFound('checkout');
      const { receipt_id: receipt } = checkout;
      return htmlPage(checkoutPage(checkout, receipt === null ? null : pathOfPage(context, 'receipt', receipt)));
    },
    async submit({ id: segment, form }) {
      const id = idOf(context, 'checkout', segment);
      const { outcome } = parseOrRefuse(CheckoutForm, form);
      const events = await settle(context, id, outcome);
      if (events === null) throw notFound('checkout');
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
    async page({ id: segment }) {
      const payment = await findReceipt(context.pool, idOf(context, 'receipt', segment));
      if (payment === null) throw notFound('receipt');
      return htmlPage(receiptPage(payment));
    },
  };
}

function portalPages(context: Context): NamedPage {
  const { pool } = context;
  return {
    operation: 'localPortal',
    async page({ id: segment }) {
      const portal = await findPortal(pool, idOf(context, 'portal', segment));
      if (portal === null) throw notFound('portal');
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
