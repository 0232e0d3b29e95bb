import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import { dollars } from '../../../fields/dollars.ts';
import { localPage } from './local-page.ts';
import type { PaymentRow } from './queries.ts';

/** One payment, and what of it was refunded. */
export function receiptPage({
  description,
  operator_name: name,
  amount_cents: paid,
  refunded_cents: refunded,
  created_at: at,
}: PaymentRow): Html {
  const back = refunded === 0 ? html`` : html`<dt>Refunded</dt><dd class="amount">${dollars(refunded)}</dd>\n`;
  return localPage(
    'Receipt',
    html`<section class="card">
<p class="figure">${dollars(paid)}</p>
<dl class="facts">
<dt>What</dt><dd>${description}</dd>
<dt>Paid by</dt><dd>${name}</dd>
<dt>Paid to</dt><dd>Carnet</dd>
<dt>When</dt><dd>${moment(at)}</dd>
${back}</dl>
</section>`,
  );
}
