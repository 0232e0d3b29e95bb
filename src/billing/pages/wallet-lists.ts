import type { z } from 'zod';
import type { Audience } from '../../http/auth/audience.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { Route } from '../../http/route.ts';
import { listOf } from '../../console/list.ts';
import { momentOr, table, type Column } from '../../console/parts.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { getDifferingPayments } from '../payments/differing/routes.ts';
import { getDisputes } from '../payments/disputes/routes.ts';
import { getRefunds } from '../payments/refunds/routes.ts';
import { getTopUps } from '../payments/top-ups/routes.ts';
import { getHolds, getReceivables } from '../wallet/promised/routes.ts';
import type { DifferingPayment } from '../payments/differing/schema.ts';
import type { Dispute } from '../payments/disputes/schema.ts';
import type { Refund } from '../payments/refunds/schema.ts';
import type { ListedTopUp } from '../payments/top-ups/schema.ts';
import type { Hold, Receivable } from '../wallet/promised/schema.ts';
import { columnsOf } from './columns.ts';
import { WALLET_PATH } from './words.ts';

/** Rows of a list on the page of the wallet, which has all six. */
const SHORT = 5;

/** A list of the wallet: a few rows on its page, all on a page of their own. */
export interface WalletList {
  /** In the address of its page. */
  name: string;
  title: string;
  /** Administrators alone may read it. */
  isForAdministrators: boolean;
  /** The newest ones; null: there are none. */
  short(person: PersonsVisit): Promise<Html | null>;
  whole(person: PersonsVisit): Promise<{ html: Html; csv?: Page }>;
}

function walletList<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Row,
>(
  route: Route<A, Params, Query, Body, Reply>,
  list: {
    name: string;
    title: string;
    /** The sentence above the rows. */
    about: string;
    rows(reply: z.output<Reply>): readonly Row[];
    columns: readonly Column<Row>[];
    nothing: string;
  },
): WalletList {
  const { name, title, about, rows, columns, nothing } = list;
  const sentence = html`<p class="muted">${about}</p>\n`;
  return {
    name,
    title,
    isForAdministrators: route.audience === 'admin',
    async short({ visit }) {
      const { body } = await visit.call(route, { query: { limit: String(SHORT) } });
      const found = rows(body);
      if (found.length === 0) return null;
      return html`<h2>${title}</h2>
${sentence}${table(title, columns, found)}<p><a href="${WALLET_PATH}?list=${name}">All of them</a></p>
`;
    },
    whole: (person) =>
      listOf(person, route, {
        id: name,
        label: title,
        kept: { list: name },
        rows,
        columns,
        nothing,
        above: () => sentence,
      }),
  };
}

const holds = columnsOf<Hold>();
const receivables = columnsOf<Receivable>();
const refunds = columnsOf<Refund>();
const disputes = columnsOf<Dispute>();
const differing = columnsOf<DifferingPayment>();
const topUps = columnsOf<ListedTopUp>();

export const walletLists: readonly WalletList[] = [
  walletList(getHolds, {
    name: 'holds',
    title: 'Held',
    about: 'Promised to open invocations and to refunds under way. It is spent or released when they end.',
    rows: (reply) => reply.holds,
    columns: [
      holds.cents('Amount', ({ amount_cents: amount }) => amount),
      holds.id(
        'For',
        ({ invocation_id: invocation, refund_id: refund, model_call_id: call }) => invocation ?? refund ?? call,
      ),
      holds.when('Since', ({ created_at: at }) => at),
    ],
    nothing: 'Nothing is held. The price of an invocation is, from its order to its end.',
  }),
  walletList(getReceivables, {
    name: 'receivables',
    title: 'Owed',
    about: 'A payment was taken back after its money was spent. The next money that comes in pays it first.',
    rows: (reply) => reply.receivables,
    columns: [
      receivables.cents('Owed now', ({ owed_cents: owed }) => owed),
      receivables.cents('At first', ({ amount_cents: amount }) => amount),
      receivables.cents('Paid', ({ paid_cents: paid }) => paid),
      receivables.id('Top-up', ({ top_up: topUp }) => topUp?.transaction_id),
      receivables.id('Dispute', ({ dispute }) => dispute?.id),
      receivables.when('Since', ({ created_at: at }) => at),
    ],
    nothing: 'Nothing was ever owed.',
  }),
  walletList(getRefunds, {
    name: 'refunds',
    title: 'Refunds',
    about: 'Top-ups on their way back to the payment method that they were paid with.',
    rows: (reply) => reply.refunds,
    columns: [
      refunds.id('Refund', ({ refund_id: refund }) => refund),
      refunds.id('Top-up', ({ transaction_id: topUp }) => topUp),
      refunds.cents('Amount', ({ amount_cents: amount }) => amount),
      refunds.state(({ status }) => status),
      refunds.when('Requested', ({ created_at: at }) => at),
    ],
    nothing: 'Nothing was refunded. A top-up is refunded on its own page, which the transactions lead to.',
  }),
  walletList(getDisputes, {
    name: 'disputes',
    title: 'Disputes',
    about: 'Payments that were disputed at the bank of their payer. A dispute that is won gives the money back.',
    rows: (reply) => reply.disputes,
    columns: [
      disputes.id('Dispute', ({ id: dispute }) => dispute),
      disputes.state(({ status }) => status),
      disputes.cents('Disputed', ({ amount_cents: amount }) => amount),
      disputes.cents('Taken', ({ taken_cents: taken }) => taken),
      disputes.id('For', ({ top_up: topUp, subscription_id: subscription }) => topUp?.transaction_id ?? subscription),
      disputes.when('Reported', ({ reported_at: at }) => at),
    ],
    nothing: 'No payment was disputed.',
  }),
  walletList(getDifferingPayments, {
    name: 'differing',
    title: 'Payments that differ',
    about:
      'Another sum or currency was paid than was asked for. A person of the platform decides: it is credited, or given back.',
    rows: (reply) => reply.differing_payments,
    columns: [
      differing.id('Payment', ({ id: payment }) => payment),
      {
        title: 'Paid',
        amount: true,
        cell: ({ amount_cents: paid, currency }) =>
          paid === null ? '–' : `${(paid / 100).toFixed(2)} ${(currency ?? '').toUpperCase()}`,
        text: ({ amount_cents: paid }) => paid,
      },
      differing.state(({ status }) => status),
      differing.id('Credit', ({ transaction_id: credit }) => credit),
      differing.when('Came', ({ created_at: at }) => at),
      { title: 'Decided', cell: ({ decided_at: at }) => momentOr(at), text: ({ decided_at: at }) => at },
    ],
    nothing: 'Every payment was the one that was asked for.',
  }),
  walletList(getTopUps, {
    name: 'top-ups',
    title: 'Top-ups',
    about: 'Paid or not, the newest first.',
    rows: (reply) => reply.top_ups,
    columns: [
      topUps.cents('Amount', ({ amount_cents: amount }) => amount),
      topUps.state(({ status }) => status),
      topUps.id('Credit', ({ transaction_id: credit }) => credit),
      topUps.when('Begun', ({ created_at: at }) => at),
    ],
    nothing: 'There is no top-up yet. The wallet has the form for the first.',
  }),
];
