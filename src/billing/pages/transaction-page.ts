import type { z } from 'zod';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { duration } from '../../console/charts.ts';
import { asCurl, listOf } from '../../console/list.ts';
import { actForm, callAct, consolePage, live } from '../../console/page.ts';
import { badge, facts, sure, type Column } from '../../console/parts.ts';
import { idLink, named } from '../../console/places.ts';
import { decides, type PersonsVisit } from '../../console/visits.ts';
import { getRefunds, postRefund } from '../payments/refunds/routes.ts';
import { getTransaction, listSources } from '../statement/routes.ts';
import type { MachineSourceSchema, ModelCallSourceSchema, WalletTransaction } from '../wallet/schema.ts';
import { takesPayments } from './provider-page.ts';
import { fineCents, meterWords, reasons, TRANSACTIONS_PATH, typeWords, WALLET_PATH } from './words.ts';

type ModelCall = z.output<typeof ModelCallSourceSchema>;
type Source = ModelCall | z.output<typeof MachineSourceSchema>;

const nothing = html``;
const isModelCall = (source: Source): source is ModelCall => 'model' in source;

const whatOf = (source: Source): string =>
  isModelCall(source)
    ? `${source.operation}, ${source.provider} ${source.model}, ${source.total_tokens} tokens`
    : `script, ${duration(source.duration_ms)} of processor time`;

const columns: readonly Column<Source>[] = [
  { title: 'When', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  {
    title: 'What',
    cell: (source) =>
      html`${whatOf(source)}${source.sealed_step_index === null ? nothing : html`, step ${source.sealed_step_index + 1}`}`,
    text: whatOf,
  },
  {
    title: 'For',
    cell: ({ invocation, skill, mission, agent, declared_purpose: purpose }) =>
      html`${invocation === null ? nothing : html`${idLink(invocation.id)} `}${skill === null ? nothing : html`${named(skill.name, skill.id)} `}${agent === null ? nothing : html`by ${named(agent.name, agent.id)} `}${mission === null ? html`${purpose ?? ''}` : named(mission.declared_intent, mission.id)}`,
    text: ({ invocation }) => invocation?.id ?? null,
  },
  {
    title: 'Its share here',
    amount: true,
    cell: ({ allocated_microcents: share }) => fineCents(share),
    text: ({ allocated_microcents: share }) => share,
  },
  {
    title: 'Charged in all',
    amount: true,
    cell: ({ charged_microcents: all }) => fineCents(all),
    text: ({ charged_microcents: all }) => all,
  },
];

/** Where each cent of a debit came from. */
async function sourcesPart(person: PersonsVisit, { id, details }: WalletTransaction) {
  if (details.source_status === null) return null;
  return await listOf(person, listSources, {
    id: 'sources',
    label: 'Sources',
    input: { params: { id } },
    rows: ({ llm_sources: calls, machine_sources: runs }) =>
      [...calls, ...runs].toSorted((one, other) => one.created_at.localeCompare(other.created_at)),
    columns,
    nothing: 'What this debit stands for was not recorded.',
    above: () =>
      html`<p class="muted">Parts of a cent are charged as they are used, and a cent is debited when it is whole, the oldest first. So the first and the last may have a part of their charge here, and the rest in the debit before or after.${details.source_status === 'recorded' ? ' The shares add up to the whole debit.' : ' Some are missing: what came before they were recorded.'}</p>
`,
  });
}

/** The refunds of a top-up, and the form that requests one. */
async function refundPart(person: PersonsVisit, { id, type, amount_cents: cents }: WalletTransaction): Promise<Html> {
  if (type !== 'topup') return nothing;
  const { body } = await person.visit.call(getRefunds, { query: { transaction_id: id } });
  const made = body.refunds.map(
    ({ refund_id: refund, status, amount_cents: back, created_at: at }) =>
      html`<p><code>${refund}</code> ${badge(status)} ${dollars(back)}, requested ${moment(at)}</p>\n`,
  );
  const mayRequest = !body.refunds.some(({ status }) => status !== 'failed');
  if (!mayRequest || !takesPayments(person))
    return made.length === 0 ? nothing : refundCard(live('refunds', html`${made}`));
  const form = decides(person)
    ? actForm({
        act: 'refund',
        label: `Refund ${dollars(cents)}`,
        tone: 'danger',
        fields: sure('Give it back. This cannot be undone.'),
      })
    : html`<p class="muted">Owners and administrators refund it.</p>\n`;
  return refundCard(
    html`${made}<p>The whole top-up goes back to the payment method that it was paid with: within 30 days, while the wallet still has all of it.</p>\n${form}`,
  );
}

const refundCard = (content: Html): Html => html`<section class="card"><h2>Refund</h2>
${content}</section>
`;

const factsOf = (row: WalletTransaction): Html =>
  facts([
    ['Amount', html`<strong>${dollars(row.amount_cents)}</strong>`],
    ['Balance after', row.balance_after_cents === null ? null : dollars(row.balance_after_cents)],
    ['When', moment(row.created_at)],
    ['Text', row.description],
    ['Meter', row.meter === null ? null : meterWords[row.meter]],
    ['For', forWhat(row)],
    ['Machine time', machineTime(row)],
    ['Receipt', row.receipt_url === null ? null : html`<a href="${row.receipt_url}">Open the receipt</a>`],
  ]);

function forWhat(row: WalletTransaction): Html | null {
  const all = reasons({ ...row, details: { ...row.details, source_count: 0 } }, { among: false });
  return all.length === 0 ? null : html`${all.map((reason) => html`${reason}<br>`)}`;
}

const machineTime = ({ details: { machine_cost_microcents: cost } }: WalletTransaction): string | null =>
  cost === null || cost === 0 ? null : fineCents(cost);

/** One row of the wallet: what it was for, where each cent came from, and for a top-up its refund. */
export const transactionPage = consolePage({
  operation: 'transactionPage',
  path: `${TRANSACTIONS_PATH}/:id`,
  async show(person) {
    const { visit } = person;
    const { body: row } = await visit.call(getTransaction, { params: { id: visit.id } });
    const sources = await sourcesPart(person, row);
    if (sources?.csv !== undefined) return sources.csv;
    return {
      title: typeWords[row.type],
      live: { ids: [row.id], looks: true },
      body: html`<p><a href="${WALLET_PATH}">Wallet</a> / <a href="${TRANSACTIONS_PATH}">Transactions</a></p>
<h1>${typeWords[row.type]}</h1>
<p class="lead"><code>${row.id}</code></p>
<div class="columns"><section class="card">${factsOf(row)}</section>
${await refundPart(person, row)}</div>
${sources === null ? nothing : html`<h2>Where the money came to be owed</h2>\n${sources.html}`}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/billing/transactions/${row.id}` })}`,
    };
  },
  acts: {
    refund: callAct('The refund is requested; the card says how far it is.', postRefund, {
      sure: true,
      input: (_, { visit: { id } }) => ({ params: { transactionId: id } }),
    }),
  },
});
