import type { StripeSettings } from '../../src/context/config.ts';
import { formIn, listIn, numberIn, textIn, type Form } from './stripe-form.ts';

export type StripeObject = { id: string } & Record<string, unknown>;

/** A refusal as Stripe's API sends it. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, param: string | null = null) {
    super(code);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Monthly prices of the tiers in the books, in cents. */
export const testPrices = {
  developer: 'price_developer',
  pro: 'price_pro',
  business: 'price_business',
  seat: 'price_seat',
};
/** The same as the settings have them: sold, and sold before. */
export const pricesOfTests: StripeSettings['prices'] = {
  developer: [testPrices.developer],
  pro: [testPrices.pro, 'price_pro_of_before'],
  business: [testPrices.business],
  seat: [testPrices.seat, 'price_seat_of_before'],
};
const amounts: Record<string, number> = {
  price_developer: 2_000,
  price_pro: 10_000,
  price_business: 50_000,
  price_seat: 1_000,
};

/** The features of a portal as Stripe stores them: switches are booleans, lists are lists. */
function portalFeatures(form: Form): Record<string, unknown> {
  const valueOf = (value: string | Form): unknown => {
    if (typeof value === 'string') return value === 'true' || value === 'false' ? value === 'true' : value;
    const members = Object.entries(value).map(([name, each]) => [name, valueOf(each)] as const);
    const isList = members.length > 0 && members.every(([name]) => /^\d+$/.test(name));
    return isList ? members.map(([, each]) => each) : Object.fromEntries(members);
  };
  return valueOf(formIn(form.features)) as Record<string, unknown>;
}

const MONTH = 30 * 86_400;
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * Stores what Stripe stores, as far as our calls need it: stripe-mock checks the calls and forgets them, these books store
 * what they created.
 */
export class StripeBooks {
  readonly objects = new Map<string, StripeObject>();
  /** A monthly price in dollars, with a product of its own. */
  #price(id: string): void {
    const recurring = { interval: 'month' };
    this.objects.set(id, { id, product: `prod_${id}`, currency: 'usd', active: true, recurring });
  }

  /** Everything that Stripe has sent an event of, or would have, the oldest first. */
  readonly events: Record<string, unknown>[] = [];
  #count = 0;

  constructor() {
    for (const id of Object.values(pricesOfTests).flat()) this.#price(id);
  }

  /** The objects of a kind, by the prefix of their ids: `cs_test`, `re`, `cus`. */
  of(prefix: string): StripeObject[] {
    return [...this.objects.values()].filter(({ id }) => id.startsWith(`${prefix}_`));
  }

  get(id: string): StripeObject {
    const found = this.objects.get(id);
    if (found === undefined) throw new StripeRefusal(404, 'resource_missing');
    return found;
  }

  change(id: string, patch: Record<string, unknown>): StripeObject {
    return Object.assign(this.get(id), patch);
  }

  /** The newest first, of the types that were asked for. */
  #listEvents(query: URLSearchParams): Record<string, unknown> {
    const since = Number(query.get('created[gte]') ?? 0);
    const types = new Set([...query].flatMap(([name, value]) => (name.startsWith('types[') ? [value] : [])));
    const all = this.events
      .filter(({ created, type }) => Number(created) >= since && types.has(String(type)))
      .toReversed();
    const begin = all.findIndex(({ id }) => id === query.get('starting_after')) + 1;
    const data = all.slice(begin, begin + Number(query.get('limit') ?? 10));
    return { data, has_more: begin + data.length < all.length };
  }

  /** Lists those of a payment, the newest first, ten a page unless the call says otherwise, a hundred at most. */
  #listRefunds(query: URLSearchParams): Record<string, unknown> {
    const paymentId = this.get(query.get('payment_intent') ?? '').id;
    const limit = Number(query.get('limit') ?? 10);
    if (limit > 100) throw new StripeRefusal(400, 'parameter_invalid_integer', 'limit');
    const all = this.of('re')
      .filter((refund) => refund.payment_intent === paymentId)
      .toReversed();
    const after = query.get('starting_after');
    const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== null && begin === 0) throw new StripeRefusal(400, 'resource_missing', 'starting_after');
    const data = all.slice(begin, begin + limit);
    return { object: 'list', data, has_more: begin + data.length < all.length };
  }

  /** Calls that name a customer that was deleted are refused so. */
  #customer(form: Form): void {
    if (!this.objects.has(textIn(form.customer) ?? '')) throw new StripeRefusal(404, 'resource_missing', 'customer');
  }

  /** A page that confirms an upgrade is opened for a subscription that runs, and for its own customer. */
  #confirmable(form: Form): void {
    const confirm = formIn(formIn(form.flow_data).subscription_update_confirm);
    if (confirm.subscription === undefined) return;
    const { status, customer } = this.get(textIn(confirm.subscription) ?? '');
    if (status === 'canceled' || customer !== form.customer) throw new StripeRefusal(400, 'subscription_not_updatable');
  }

  /** Deletes a customer, as Stripe does: what it pays for each month ends immediately, what it has paid stays. */
  deleteCustomer(id: string): Record<string, unknown> {
    this.get(id);
    this.objects.delete(id);
    for (const { id: subscription, customer } of this.of('sub'))
      if (customer === id) this.change(subscription, { status: 'canceled' });
    return { id, deleted: true };
  }

  #make(prefix: string, object: Record<string, unknown>): StripeObject {
    const made = { ...object, id: `${prefix}_${++this.#count}` };
    this.objects.set(made.id, made);
    return made;
  }

  /** The answer to a call, and its effect on the books; null for calls that stripe-mock answers well enough. */
  act(
    method: string,
    path: string,
    { query, form }: { query: URLSearchParams; form: Form },
  ): Record<string, unknown> | null {
    const [, , resource = '', ...rest] = path.split('/');
    const key = `${method} ${resource}${rest.length > 0 ? '/' : ''}${rest.map((part) => (/^(sessions|configurations|expire|create_preview)$/.test(part) ? part : ':id')).join('/')}`;
    const id = rest.findLast((part) => /_/.test(part)) ?? '';
    switch (key) {
      case 'POST customers':
        return this.#make('cus', {
          name: textIn(form.name),
          email: textIn(form.email),
          metadata: formIn(form.metadata),
        });
      case 'GET customers':
        return { data: this.of('cus').filter(({ email }) => email === query.get('email')) };
      case 'DELETE customers/:id':
        return this.deleteCustomer(id);
      case 'POST checkout/sessions':
        return this.#openSession(form);
      case 'POST checkout/sessions/:id/expire':
        if (this.get(id).status !== 'open') throw new StripeRefusal(400, 'session_not_open');
        return this.change(id, { status: 'expired' });
      case 'POST refunds':
        return this.#refund(form);
      case 'GET refunds':
        return this.#listRefunds(query);
      case 'POST subscriptions/:id':
        return this.#updateSubscription(id, form);
      case 'POST billing_portal/sessions':
        this.#customer(form);
        this.#confirmable(form);
        if (!this.objects.has(textIn(form.configuration) ?? '')) throw new StripeRefusal(400, 'no_configuration');
        return this.#make('bps', { url: `https://billing.stripe.test/p/${this.#count}`, flow: formIn(form.flow_data) });
      case 'POST payment_intents':
        return this.#make('pi', { status: 'succeeded', amount: numberIn(form.amount), currency: 'usd' });
      case 'POST subscriptions':
        return this.#begin(textIn(form.customer), { items: listIn(form.items), metadata: formIn(form.metadata) });
      case 'GET webhook_endpoints':
        return { data: this.of('we'), has_more: false };
      case 'DELETE subscriptions/:id':
        return this.change(id, { status: 'canceled' });
      case 'GET events':
        return this.#listEvents(query);
      case 'POST billing_portal/configurations':
        return this.#make('bpc', { active: true, features: portalFeatures(form) });
      case 'POST billing_portal/configurations/:id':
        return this.change(id, { active: form.active !== 'false', features: portalFeatures(form) });
      case 'POST invoices/create_preview':
        return { amount_due: 40_000, currency: 'usd' };
      case 'GET checkout/sessions': {
        const wanted = ['customer', 'status'].map((name) => [name, query.get(name)] as const);
        return { data: this.of('cs_test').filter((one) => wanted.every(([name, value]) => one[name] === value)) };
      }
      case 'GET invoice_payments':
        return this.#invoicePayments(query.get('payment[payment_intent]'));
      case 'POST transfers':
        return this.#make('tr', {
          amount: numberIn(form.amount),
          destination: textIn(form.destination),
          transfer_group: textIn(form.transfer_group),
        });
      case 'GET transfers':
        return {
          data: this.of('tr').filter((transfer) => transfer.transfer_group === query.get('transfer_group')),
          has_more: false,
        };
      default:
        return method === 'GET' && id !== '' ? this.get(id) : null;
    }
  }

  #openSession(form: Form): StripeObject {
    const amount = listIn(form.line_items)
      .map(
        (item) =>
          numberIn(item.quantity) *
          (amounts[textIn(item.price) ?? ''] ?? numberIn(formIn(item.price_data).unit_amount)),
      )
      .reduce((sum, cents) => sum + cents, 0);
    this.#customer(form);
    const session = this.#make('cs_test', {
      mode: textIn(form.mode),
      status: 'open',
      payment_status: 'unpaid',
      amount_total: amount,
      currency: 'usd',
      customer: textIn(form.customer),
      payment_intent: null,
      subscription: null,
      metadata: formIn(form.metadata),
      client_reference_id: textIn(form.client_reference_id),
      expires_at: form.expires_at === undefined ? nowSeconds() + 86_400 : numberIn(form.expires_at),
      form,
    });
    return this.change(session.id, { url: `https://checkout.stripe.test/c/${session.id}` });
  }

  /** Pays at the hosted page. @returns the session */
  pay(sessionId: string): StripeObject {
    const session = this.get(sessionId);
    if (session.status !== 'open') throw new StripeRefusal(400, 'session_not_open');
    if (session.mode === 'subscription') {
      const subscription = this.#subscribe(session);
      return this.change(sessionId, { status: 'complete', payment_status: 'paid', subscription: subscription.id });
    }
    const charge = { id: `ch_${sessionId}`, receipt_url: `https://pay.stripe.test/receipts/${sessionId}` };
    const intent = this.#make('pi', { status: 'succeeded', amount: session.amount_total, latest_charge: charge });
    return this.change(sessionId, { status: 'complete', payment_status: 'paid', payment_intent: intent });
  }

  /** Completes a session whose bank is slow, so it is not paid; `status` is that of the payment intent. */
  payLater(sessionId: string, status: 'processing' | 'requires_payment_method'): StripeObject {
    const intent = this.#make('pi', { status, latest_charge: null });
    return this.change(sessionId, { status: 'complete', payment_status: 'unpaid', payment_intent: intent });
  }

  #subscribe(session: StripeObject): StripeObject {
    const form = session.form as Form;
    const metadata = formIn(formIn(form.subscription_data).metadata);
    const paid = Number(session.amount_total);
    return this.#begin(textIn(form.customer), { items: listIn(form.line_items), metadata, paid });
  }

  /** Begins a subscription whose first invoice is paid. */
  #begin(
    customer: string | null,
    { items, metadata, paid = 2_000 }: { items: Form[]; metadata: Form; paid?: number },
  ): StripeObject {
    const period = { current_period_start: nowSeconds(), current_period_end: nowSeconds() + MONTH };
    const data = items.map((item) => ({
      id: `si_${++this.#count}`,
      price: { id: textIn(item.price) },
      quantity: item.quantity === undefined ? 1 : numberIn(item.quantity),
      ...period,
    }));
    const intent = this.#make('pi', { status: 'succeeded', amount: paid });
    const payment = { amount_paid: paid, payment: { type: 'payment_intent', payment_intent: intent.id } };
    return this.#make('sub', {
      customer,
      latest_invoice: this.#make('in', { status: 'paid', payments: { data: [payment] } }),
      status: 'active',
      cancel_at_period_end: false,
      cancel_at: null,
      metadata,
      items: { data },
    });
  }

  #invoicePayments(intent: string | null): { data: object[]; has_more: boolean } {
    const data = this.of('sub').flatMap(({ id, customer, latest_invoice: invoice }) => {
      const { id: invoiceId, payments } = invoice as {
        id: string;
        payments: { data: { payment: { payment_intent: string } }[] };
      };
      const isPaid = payments.data.some(({ payment }) => payment.payment_intent === intent);
      const parent = { type: 'subscription_details', subscription_details: { subscription: id } };
      return isPaid
        ? [{ id: `inpay_${invoiceId}`, invoice: { id: invoiceId, object: 'invoice', customer, parent } }]
        : [];
    });
    return { data, has_more: false };
  }

  #updateSubscription(id: string, form: Form): StripeObject {
    const subscription = this.get(id);
    if (subscription.status === 'canceled') throw new StripeRefusal(400, 'subscription_canceled');
    if (form.cancel_at_period_end !== undefined)
      subscription.cancel_at_period_end = form.cancel_at_period_end === 'true';
    if (form.cancel_at === '') subscription.cancel_at = null;
    const metadata = { ...(subscription.metadata as Record<string, string>) };
    for (const [name, value] of Object.entries(formIn(form.metadata))) {
      if (value === '') delete metadata[name];
      else metadata[name] = textIn(value) ?? '';
    }
    subscription.metadata = metadata;
    this.#applyItems(subscription, listIn(form.items));
    return subscription;
  }

  #applyItems(subscription: StripeObject, changes: Form[]): void {
    const items = subscription.items as { data: { id: string; price: { id: string | null }; quantity: number }[] };
    for (const change of changes) {
      const item = items.data.find(({ id }) => id === textIn(change.id));
      if (item === undefined) {
        const [first] = items.data;
        items.data.push({
          ...first,
          id: `si_${++this.#count}`,
          price: { id: textIn(change.price) },
          quantity: numberIn(change.quantity),
        });
      } else if (change.deleted === 'true') {
        items.data.splice(items.data.indexOf(item), 1);
      } else {
        if (change.price !== undefined) item.price = { id: textIn(change.price) };
        if (change.quantity !== undefined) item.quantity = numberIn(change.quantity);
      }
    }
  }

  /** Confirms an upgrade at the portal (`bps_…`) or pays the difference at its checkout. */
  confirmUpgrade(sessionId: string): void {
    if (sessionId.startsWith('cs_')) return void this.pay(sessionId);
    const page = this.get(sessionId);
    const confirm = formIn(formIn(page.flow as Form).subscription_update_confirm);
    this.#applyItems(this.get(textIn(confirm.subscription) ?? ''), listIn(confirm.items));
  }

  /** Begins the next month; a subscription that was to end has ended. */
  endPeriod(subscriptionId: string): void {
    const subscription = this.get(subscriptionId);
    if (subscription.cancel_at_period_end === true) subscription.status = 'canceled';
    else
      for (const item of (subscription.items as { data: Record<string, number>[] }).data) {
        const end = item.current_period_end ?? 0;
        Object.assign(item, { current_period_start: end, current_period_end: end + MONTH });
      }
  }

  #refund(form: Form): StripeObject {
    const paymentId = textIn(form.payment_intent) ?? '';
    const payment = this.get(paymentId);
    const gone = this.of('re').filter(
      ({ payment_intent: of, status }) => of === paymentId && status !== 'failed' && status !== 'canceled',
    );
    const sum = gone.reduce((cents, refund) => cents + Number(refund.amount), 0);
    if (sum + numberIn(form.amount) > Number(payment.amount)) throw new StripeRefusal(400, 'charge_already_refunded');
    return this.#make('re', {
      created: Math.floor(Date.now() / 1_000),
      amount: numberIn(form.amount),
      currency: payment.currency ?? 'usd',
      payment_intent: paymentId,
      status: 'succeeded',
      metadata: formIn(form.metadata),
    });
  }
}
