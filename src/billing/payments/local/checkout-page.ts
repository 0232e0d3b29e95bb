import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import { dollars } from '../../../fields/dollars.ts';
import { localPage } from './local-page.ts';
import type { CheckoutRow } from './queries.ts';
import { titleOf } from './settle.ts';

/**
 * Shows what is paid and by whom, with buttons for the outcome, or the outcome once there is one.
 * @param receipt the path of the receipt
 */
export function checkoutPage(checkout: CheckoutRow, receipt: string | null): Html {
  const amount = dollars(checkout.amount_cents);
  const what = html`<p class="figure">${amount}</p>
<dl class="facts">
<dt>What</dt><dd>${titleOf(checkout)}</dd>
<dt>For</dt><dd>${checkout.operator_name}</dd>
<dt>To</dt><dd>Carnet</dd>
</dl>`;
  if (checkout.status === 'open')
    return localPage(
      'Checkout',
      html`<section class="card">
${what}
${outcomeForm(amount)}
</section>
<p class="muted">Open until ${moment(checkout.expires_at)}.</p>`,
    );
  const { title, sentence, kind } = endings[checkout.status];
  const link = receipt === null ? html`` : html`<a class="button" href="${receipt}">Receipt</a>\n`;
  return localPage(
    title,
    html`<p class="notice ${kind}" role="status">${sentence}</p>
<section class="card">
${what}
</section>
<div class="actions"><a class="button primary" href="/dashboard/wallet">Back to the wallet</a>
${link}</div>`,
  );
}

const outcomeForm = (amount: string): Html => html`<form method="post">
<div class="actions">
<button class="primary" name="outcome" value="paid">Pay ${amount}</button>
</div>
<div class="actions">
<button name="outcome" value="failed">Let it fail</button>
<button name="outcome" value="expired">Let it expire</button>
</div>
</form>`;

interface Ending {
  title: string;
  sentence: string;
  /** The kind of the notice, as the stylesheet names it. */
  kind: 'good' | 'warning' | 'error';
}

const endings: Record<Exclude<CheckoutRow['status'], 'open'>, Ending> = {
  paid: { title: 'Paid', sentence: 'The payment went through.', kind: 'good' },
  failed: {
    title: 'Payment failed',
    sentence: 'The payment failed; nothing was paid. Go back and start again.',
    kind: 'error',
  },
  expired: {
    title: 'Checkout expired',
    sentence: 'This checkout is over and can no longer be paid. Go back and start again.',
    kind: 'warning',
  },
};
