import type { z } from 'zod';
import { dollars } from '../../fields/dollars.ts';
import { html } from '../../http/pages/html.ts';
import { listOf } from '../../console/list.ts';
import { consolePage, live } from '../../console/page.ts';
import { badge, figures, momentOr, type Column } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { getEarnings, getPayouts } from '../payouts/routes.ts';
import type { Payout } from '../payouts/schema.ts';
import { columnsOf } from './columns.ts';
import { WALLET_PATH } from './words.ts';

const EARNINGS_PATH = `${HOME}/earnings`;

const states: Readonly<Record<Payout['status'], readonly [tone: string, words: string]>> = {
  rolled_over: ['info', 'Too little to pay out: part of the next month’s.'],
  pending_account: ['warning', 'No payout account: part of the next month’s.'],
  due: ['info', 'The transfer has yet to begin.'],
  transferring: ['info', 'Requested until its outcome is known.'],
  paid: ['good', ''],
  failed: ['error', 'Refused for good: back among the earnings.'],
};

const { cents } = columnsOf<Payout>();

const columns: readonly Column<Payout>[] = [
  { title: 'Month', cell: ({ month }) => month, text: ({ month }) => month },
  cents('Earned', ({ gross_cents: gross }) => gross),
  cents('Commission', ({ commission_cents: commission }) => commission),
  cents('Paid out', ({ net_cents: net }) => net),
  {
    title: 'State',
    cell: ({ status }) =>
      html`${badge(status, states[status][0])}${states[status][1] === '' ? html`` : html` <span class="small">${states[status][1]}</span>`}`,
    text: ({ status }) => status,
  },
  { title: 'Paid', cell: ({ paid_at: at }) => momentOr(at), text: ({ paid_at: at }) => at },
];

/** The earnings of an operator, and its payouts. */
export const earningsPage = consolePage({
  operation: 'earningsPage',
  path: EARNINGS_PATH,
  async show(person) {
    const { visit, caller } = person;
    const list = await listOf(person, getPayouts, {
      id: 'payouts',
      label: 'Payouts',
      rows: (reply: z.output<typeof getPayouts.reply>) => reply.payouts,
      columns,
      nothing: html`No month has been stated yet. The first statement is made on the first of the month after the first earnings, which come from <a href="${HOME}/skills">your skills</a>.`,
    });
    if (list.csv !== undefined) return list.csv;
    const { body: earnings } = await visit.call(getEarnings);
    const { available_cents: available, young_cents: young, pending_cents: pending } = earnings;
    const days = visit.context.config.payoutTopUpAgeDays;
    return {
      title: 'Earnings',
      live: { ids: [caller.operatorId], looks: true },
      body: html`<h1>Earnings</h1>
<p class="lead">What others paid for your skills, before commission. It is no part of the <a href="${WALLET_PATH}">wallet</a>.</p>
${live(
  'earnings',
  html`${figures('Earnings', [
    ['To be paid out', dollars(available)],
    ['Of it not due yet', dollars(young)],
    ['In transfer', dollars(pending)],
    ['Ever earned', dollars(earnings.lifetime_cents)],
  ])}${young === 0 ? html`` : html`<p class="notice">${dollars(young)} is young money: it was paid from top-ups of the last ${days} days, whose cards may still be disputed. It waits for the next statement.</p>\n`}`,
)}<p>Each cent comes from <a href="${HOME}/invocations?side=provided&amp;status=completed">a completed invocation of your skills</a>. On the first of a month at 03:00 UTC all that is old enough is paid out to the <a href="${HOME}/operator">payout account</a> of the operator.</p>
<h2>Payouts</h2>
${list.html}`,
    };
  },
});
