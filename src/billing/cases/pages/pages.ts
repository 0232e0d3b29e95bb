import type { z } from 'zod';
import { operatorNames } from '../../../accounts/operators/pages/operator-names.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, type Entered, type Form } from '../../../console/page.ts';
import { badge, facts, type Column } from '../../../console/parts.ts';
import { HOME, idLink } from '../../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../../console/visits.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import type { RouteInput } from '../../../http/route.ts';
import { closeReceivable, dismissAlarm, dismissPayment, getCases, settleRefund, takePayment } from '../routes.ts';
import type { BillingCase } from '../schema.ts';

const CASES_PATH = `${HOME}/cases`;

const titles: Record<BillingCase['kind'], string> = {
  alarm: 'An alarm',
  differing_payment: 'A payment that is not the one requested',
  life: 'A life that Temporal refuses to wake',
  receivable: 'What a wallet owes',
  refund: 'A refund that hangs',
};

/** The acts of each kind, by their buttons. A life is woken by itself. */
const actsOf: Record<BillingCase['kind'], readonly (readonly [act: string, label: string])[]> = {
  alarm: [['dismiss-alarm', 'Looked at']],
  differing_payment: [
    ['take', 'Credit what was paid'],
    ['dismiss', 'It was settled elsewhere'],
  ],
  life: [],
  receivable: [['close', 'Give up what is owed']],
  refund: [
    ['succeeded', 'The provider has paid it'],
    ['failed', 'Release what it holds'],
  ],
};

/** A case, and whose money it is. */
type Row = BillingCase & { owner: Html };

const amountOf = ({ amount_cents: cents, currency }: BillingCase): string | null =>
  cents === null ? null : currency === null || currency === 'usd' ? dollars(cents) : `${cents / 100} ${currency}`;

/** One form a case: a reason, and a button an act. What was refused stands in its own form again. */
function decision(one: BillingCase, entered?: Entered): Html {
  const acts = actsOf[one.kind];
  const typed = entered !== undefined && oneOf(entered.form, 'id') === one.id ? oneOf(entered.form, 'reason') : '';
  return html`${acts.map(([act, label]) =>
    actForm({
      act,
      label,
      tone: 'danger',
      hidden: { id: one.id },
      fields: html`<label>Why<textarea name="reason" rows="2" maxlength="2000" required>\n${typed}</textarea></label>\n`,
    }),
  )}`;
}

const card = (one: Row, entered?: Entered): Html =>
  html`<article class="card"><h2>${titles[one.kind]}${one.alarm === null ? html`` : html` ${badge(one.alarm, 'warning')}`}</h2>
${facts([
  [
    'Id',
    one.kind === 'life'
      ? html`<a href="${HOME}/lives/${one.id}"><code>${one.id}</code></a>`
      : html`<code>${one.id}</code>`,
  ],
  ['Operator', one.owner],
  ['Amount', amountOf(one)],
  ['Concerns', one.concerns === null ? null : idLink(one.concerns)],
  ['Since', moment(one.since)],
])}${decision(one, entered)}</article>
`;

/** For the CSV: the page shows cards. */
const columns: readonly Column<BillingCase>[] = [
  { title: 'Kind', cell: ({ kind }) => kind, text: ({ kind }) => kind },
  { title: 'Alarm', cell: ({ alarm }) => alarm ?? '', text: ({ alarm }) => alarm },
  { title: 'Id', cell: ({ id }) => id, text: ({ id }) => id },
  { title: 'Operator', cell: ({ operator_id: id }) => id, text: ({ operator_id: id }) => id },
  { title: 'Cents', cell: ({ amount_cents: cents }) => cents ?? '', text: ({ amount_cents: cents }) => cents },
  { title: 'Currency', cell: ({ currency }) => currency ?? '', text: ({ currency }) => currency },
  { title: 'Concerns', cell: ({ concerns }) => concerns ?? '', text: ({ concerns }) => concerns },
  { title: 'Since', cell: ({ since }) => since, text: ({ since }) => since },
];

const decided = (form: Form): RouteInput & { params: { id: string } } => ({
  params: { id: oneOf(form, 'id') },
  body: { reason: oneOf(form, 'reason') },
});

const settled = (outcome: 'succeeded' | 'failed') =>
  callAct('The refund is settled.', settleRefund, {
    input: (form) => ({ ...decided(form), body: { outcome, reason: oneOf(form, 'reason') } }),
  });

async function rowsOf(person: PersonsVisit, cases: readonly BillingCase[]): Promise<Row[]> {
  const ids = cases.map(({ operator_id: id }) => id);
  const operators = await operatorNames(person, ids);
  return cases.map((one) => ({ ...one, owner: operators.whole(one.operator_id) }));
}

const casesPage = consolePage({
  operation: 'casesPage',
  path: CASES_PATH,
  show: (person, entered) =>
    listShown(person, getCases, {
      title: 'Money to look at',
      lead: 'What no rule decides. Look it up at the payment provider first; why you decided stands in the audit trail.',
      id: 'cases',
      rows: (reply: z.output<typeof getCases.reply>) => rowsOf(person, reply.cases),
      columns,
      filters: [{ name: 'operator_id', label: 'Operator', kind: 'text' }],
      nothing: 'No money waits for a person.',
      shown: (rows: readonly Row[]) => html`${rows.map((one) => card(one, entered))}`,
    }),
  acts: {
    succeeded: settled('succeeded'),
    failed: settled('failed'),
    close: callAct('What was owed is given up.', closeReceivable, { input: decided }),
    take: callAct('The payment is credited.', takePayment, { input: decided }),
    dismiss: callAct('It is noted as settled elsewhere.', dismissPayment, { input: decided }),
    'dismiss-alarm': callAct('It is noted that you have looked at it.', dismissAlarm, { input: decided }),
  },
});

export const casePages: readonly PathOfPeoplePage[] = [casesPage];
