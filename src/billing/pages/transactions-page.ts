import type { z } from 'zod';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { listOf, type Filter } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { named } from '../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { getDays, listTransactions } from '../statement/routes.ts';
import { ROWS_COUNTED, type StatementSchema, type TimelineSchema } from '../statement/schema.ts';
import { TransactionTypeSchema, type WalletTransaction } from '../wallet/schema.ts';
import { columnsOf } from './columns.ts';
import { dayCharts } from './day-charts.ts';
import { fineCents, reasons, remaindersSentence, TRANSACTIONS_PATH, typeWords, WALLET_PATH } from './words.ts';

type Statement = z.output<typeof StatementSchema>;
type TimelineRow = z.output<typeof TimelineSchema>['rows'][number];

const filters: readonly Filter[] = [
  {
    name: 'type',
    label: 'Type',
    kind: 'choice',
    options: TransactionTypeSchema.options.map((type) => [type, typeWords[type]]),
  },
  {
    name: 'direction',
    label: 'Direction',
    kind: 'choice',
    options: [
      ['in', 'Into the wallet'],
      ['out', 'Out of it'],
    ],
  },
  { name: 'since', label: 'Since (UTC)', kind: 'date' },
  { name: 'until', label: 'Before (UTC)', kind: 'date' },
];

const kinds: Filter = {
  name: 'entry_kind',
  label: 'Rows',
  kind: 'choice',
  options: [
    ['wallet', 'Of the wallet'],
    ['llm', 'Model calls'],
  ],
};

/** The text of a row that names its skill leads there, and the skill is not named again. */
function why({ id, description, details }: WalletTransaction): Html {
  const skill = details.skill !== null && description.includes(details.skill.name) ? details.skill : null;
  const others = reasons({ id, details: skill === null ? details : { ...details, skill: null } }, { among: true });
  return html`${skill === null ? description : named(description, skill.id)}${others.map((reason) => html`<br><span class="small">${reason}</span>`)}`;
}

const { cents, when } = columnsOf<WalletTransaction>();

const columns: readonly Column<WalletTransaction>[] = [
  when('When', ({ created_at: at }) => at),
  { title: 'Type', cell: ({ type, id }) => named(typeWords[type], id), text: ({ type }) => type },
  { title: 'For', cell: why, text: ({ description }) => description },
  cents('Amount', ({ amount_cents: amount }) => amount),
  cents('Balance after', ({ balance_after_cents: balance }) => balance),
];

/** Columns of the CSV alone: what a row is for, by its ids. */
const referenceColumns: readonly Column<WalletTransaction>[] = [
  ...columns,
  ...(
    [
      ['Id', ({ id }) => id],
      ['Meter', ({ meter }) => meter],
      ['Skill', ({ details }) => details.skill_id],
      ['Invocation', ({ details }) => details.invocation_id],
      ['Mission', ({ details }) => details.mission_id],
      ['Top-up', ({ details }) => details.top_up?.transaction_id ?? null],
      ['Refund', ({ details }) => details.refund_id],
      ['Dispute', ({ details }) => details.dispute?.id ?? null],
    ] satisfies [string, (row: WalletTransaction) => string | null][]
  ).map(([title, text]) => ({ title, cell: () => '', text })),
];

const priceWords = {
  wallet_price: 'charged',
  included: 'in the allowance',
  covered: 'paid by the platform',
  unavailable: 'not recorded',
};

const timelineColumns: readonly Column<TimelineRow>[] = [
  {
    title: 'When',
    cell: (row) => moment((row.kind === 'llm_call' ? row.call : row.transaction).created_at),
    text: (row) => (row.kind === 'llm_call' ? row.call : row.transaction).created_at,
  },
  {
    title: 'Row',
    cell: (row) =>
      row.kind === 'llm_call'
        ? html`Model call <code>${row.call.id}</code>`
        : named(typeWords[row.transaction.type], row.transaction.id),
    text: (row) => (row.kind === 'llm_call' ? row.call.id : row.transaction.id),
  },
  {
    title: 'For',
    cell: (row) => (row.kind === 'llm_call' ? html`${row.call.operation}, ${row.call.provider} ${row.call.model}` : ''),
    text: (row) => (row.kind === 'llm_call' ? `${row.call.operation}, ${row.call.provider} ${row.call.model}` : null),
  },
  {
    title: 'Tokens',
    amount: true,
    cell: (row) => (row.kind === 'llm_call' ? row.call.total_tokens : ''),
    text: (row) => (row.kind === 'llm_call' ? row.call.total_tokens : null),
  },
  {
    title: 'Price',
    cell: (row) => (row.kind === 'llm_call' ? badge(priceWords[row.call.price.state]) : ''),
    text: (row) => (row.kind === 'llm_call' ? row.call.price.state : null),
  },
  {
    title: 'Amount',
    amount: true,
    cell: (row) => {
      if (row.kind === 'wallet_transaction') return dollars(row.transaction.amount_cents);
      const { amount_microcents: microcents } = row.call.price;
      return microcents === null ? '–' : fineCents(microcents);
    },
    text: (row) => (row.kind === 'llm_call' ? row.call.price.amount_microcents : row.transaction.amount_microcents),
  },
];

/** Above the rows: how many there are, and what is on its way to be one. */
const above = ({ total, remainders }: Statement): Html =>
  html`${total === 0 ? html`` : html`<p class="muted">${total === 1 ? 'One row' : `${total} rows`} under these filters${total === ROWS_COUNTED ? ', or more' : ''}.</p>\n`}${remaindersSentence(remainders ?? [])}`;

const nothing = html`Nothing has moved yet. <a href="${WALLET_PATH}">Top up the wallet</a>, and the first row is here.`;

/** Fewer rows than a list has elsewhere: with the charts above them they are as heavy. */
const BELOW_CHARTS = '15';

const isFirstPage = ({ visit: { query } }: PersonsVisit): boolean => oneOf(query, 'cursor') === '';

const statement = async (person: PersonsVisit) =>
  await listOf(person, listTransactions, {
    id: 'transactions',
    label: 'Transactions',
    input: isFirstPage(person) ? { query: { limit: BELOW_CHARTS } } : {},
    rows: (reply) => ('transactions' in reply ? reply.transactions : []),
    columns: oneOf(person.visit.query, 'csv') === '' ? columns : referenceColumns,
    filters,
    above: (reply) => ('transactions' in reply ? above(reply) : html``),
    nothing,
  });

const timeline = async (person: PersonsVisit) =>
  await listOf(person, listTransactions, {
    id: 'timeline',
    label: 'Timeline',
    input: { query: { view: 'timeline' } },
    kept: { view: 'timeline' },
    rows: (reply) => ('rows' in reply ? reply.rows : []),
    columns: timelineColumns,
    filters: [kinds, ...filters],
    nothing,
  });

/** The rows of the wallet, on two tabs: the statement, and the same among model calls that no debit has taken yet. */
export const transactionsPage = consolePage({
  operation: 'transactionsPage',
  path: TRANSACTIONS_PATH,
  async show(person) {
    const { visit } = person;
    const isTimeline = oneOf(visit.query, 'view') === 'timeline';
    const list = isTimeline ? await timeline(person) : await statement(person);
    if (list.csv !== undefined) return list.csv;
    const isFirst = isFirstPage(person);
    const charts = isTimeline || !isFirst ? html`` : dayCharts((await visit.call(getDays)).body);
    return {
      title: 'Transactions',
      ...(isFirst && { live: { ids: [person.caller.operatorId], looks: true as const } }),
      body: html`<h1>Transactions</h1>
${tabs('View', [
  { href: TRANSACTIONS_PATH, text: 'Statement', current: !isTimeline },
  { href: `${TRANSACTIONS_PATH}?view=timeline`, text: 'With model calls', current: isTimeline },
])}${charts}${list.html}`,
    };
  },
});
