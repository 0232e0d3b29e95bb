import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import { dollars } from '../../../fields/dollars.ts';
import { localPage } from './local-page.ts';
import type { PaymentRow, SubscriptionRow } from './queries.ts';

interface Portal {
  operatorName: string;
  subscription: SubscriptionRow | null;
  /** `receipt` is the path of the receipt page. */
  payments: readonly (PaymentRow & { receipt: string })[];
}

/**
 * A subscription and its payments. The subscription is changed in the wallet, or through the API, not here.
 */
export const portalPage = ({ operatorName, subscription, payments }: Portal): Html =>
  localPage(
    'Invoices and subscription',
    html`<p class="lead">${operatorName}</p>
<h2>Subscription</h2>
${subscription === null ? html`<p class="empty">None.</p>` : html`<section class="card"><dl class="facts">\n${subscriptionPart(subscription)}\n</dl></section>`}
<p class="muted">It is changed in <a href="/dashboard/wallet">the wallet</a>.</p>
<h2>Payments</h2>
${payments.length === 0 ? html`<p class="empty">None yet.</p>` : paymentsPart(payments)}`,
  );

function subscriptionPart(subscription: SubscriptionRow): Html {
  const { tier, status, purchased_seats: seats, next_tier: next, period_end: end } = subscription;
  const begin = html`<dt>Tier</dt><dd>${tier}</dd>\n`;
  if (status === 'canceled') return html`${begin}<dt>Ended</dt><dd>${moment(end)}</dd>`;
  const what = subscription.cancel_at_period_end ? 'Ends' : next === null ? 'Renews' : `Becomes ${next}`;
  return html`${begin}<dt>${what}</dt><dd>${moment(end)}</dd>
<dt>Seats bought</dt><dd>${seats}, beside those of the tier</dd>`;
}

const paymentsPart = (payments: Portal['payments']): Html => html`<div class="scroll"><table>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col" class="amount">Amount</th></tr></thead>
<tbody>
${payments.map(
  ({
    created_at: at,
    description,
    amount_cents: cents,
    refunded_cents: back,
    receipt,
  }) => html`<tr><td>${moment(at)}</td><td>${description}${back === 0 ? '' : `, ${dollars(back)} refunded`}<br><a href="${receipt}">Receipt</a></td>
<td class="amount">${dollars(cents)}</td></tr>\n`,
)}
</tbody>
</table></div>`;
