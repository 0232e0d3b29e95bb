import { html, type Html } from '../../../http/pages/html.ts';
import { dollars } from '../../money.ts';
import { localPage, moment } from './local-page.ts';
import type { CheckoutRow } from './queries.ts';
import { titleOf } from './settle.ts';

/** What is paid, by whom, and the choice of an outcome; once that was made, what it was. @param receipt the path of the receipt */
export function checkoutPage(checkout: CheckoutRow, receipt: string | null): Html {
  const what = html`<dl>
<dt>What</dt><dd>${titleOf(checkout)}</dd>
<dt>For</dt><dd>${checkout.operator_name}</dd>
<dt>To</dt><dd>Carnet</dd>
<dt>Amount</dt><dd class="amount">${dollars(checkout.amount_cents)}</dd>
</dl>`;
  if (checkout.status === 'open')
    return localPage(
      'Checkout',
      html`${what}
<p>Open until ${moment(checkout.expires_at)}.</p>
${choice}`,
    );
  const { title, sentence } = endings[checkout.status];
  const link = receipt === null ? html`` : html`\n<p><a href="${receipt}">Receipt</a></p>`;
  return localPage(
    title,
    html`<p role="status">${sentence}</p>
${what}${link}`,
  );
}

const choice = html`<form method="post">
<button name="outcome" value="paid">Pay</button>
<button name="outcome" value="failed">Let the payment fail</button>
<button name="outcome" value="expired">Let the checkout expire</button>
</form>`;

const endings: Record<Exclude<CheckoutRow['status'], 'open'>, { title: string; sentence: string }> = {
  paid: { title: 'Paid', sentence: 'The payment went through.' },
  failed: {
    title: 'Payment failed',
    sentence: 'The payment failed; nothing was paid. Begin again from where you came.',
  },
  expired: {
    title: 'Checkout expired',
    sentence: 'This checkout is over and can no longer be paid. Begin again from where you came.',
  },
};
