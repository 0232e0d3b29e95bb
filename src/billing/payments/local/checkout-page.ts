import { html, type Html } from '../../../http/pages/html.ts';
import { dollars } from '../../money.ts';
import { localPage, moment } from './local-page.ts';
import type { CheckoutRow } from './queries.ts';
import { titleOf } from './settle.ts';

/**
 * What is paid and by whom, with buttons for the outcome, or the outcome once there is one.
 * @param receipt the path of the receipt
 */
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
${outcomeForm}`,
    );
  const { title, sentence } = endings[checkout.status];
  const link = receipt === null ? html`` : html`\n<p><a href="${receipt}">Receipt</a></p>`;
  return localPage(
    title,
    html`<p role="status">${sentence}</p>
${what}${link}`,
  );
}

const outcomeForm = html`<form method="post">
<button name="outcome" value="paid">Pay</button>
<button name="outcome" value="failed">Let the payment fail</button>
<button name="outcome" value="expired">Let the checkout expire</button>
</form>`;

const endings: Record<Exclude<CheckoutRow['status'], 'open'>, { title: string; sentence: string }> = {
  paid: { title: 'Paid', sentence: 'The payment went through.' },
  failed: {
    title: 'Payment failed',
    sentence: 'The payment failed; nothing was paid. Go back and start again.',
  },
  expired: {
    title: 'Checkout expired',
    sentence: 'This checkout is over and can no longer be paid. Go back and start again.',
  },
};
