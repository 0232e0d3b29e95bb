import type { z } from 'zod';
import { invalid } from '../../errors/carnet-error.ts';
import { centsTyped, dollars, NO_AMOUNT } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { actForm, callAct, enteredIn, type Act, type Entered } from '../../console/page.ts';
import { oneOf } from '../../console/visits.ts';
import { deleteTopUp, getTopUps, postTopUp } from '../payments/top-ups/routes.ts';
import { providerPage } from './provider-page.ts';

/** @throws CarnetError VALIDATION_ERROR for what is no amount; how much it may be, the route says */
function centsOf(text: string): number {
  const cents = centsTyped(text);
  if (cents === null) throw invalid({ path: 'amount_cents', code: 'invalid_format', message: NO_AMOUNT });
  return cents;
}

/** The form that begins a top-up. */
export function topUpForm(entered?: Entered): Html {
  const mine = enteredIn('topUp', entered);
  const [fault] = mine?.refusal.errors ?? [];
  return actForm({
    act: 'topUp',
    label: 'Top up',
    tone: 'primary',
    fields: html`<label>Amount in dollars<input name="amount" inputmode="decimal" required maxlength="12" autocomplete="off" value="${mine === undefined ? '' : oneOf(mine.form, 'amount')}"${fault === undefined ? html`` : html` aria-invalid="true"`}><span class="hint">$10 to $10,000. You pay on a page of the payment provider.</span>${fault === undefined ? html`` : html`<span class="fault">${fault.message}</span>`}</label>
`,
  });
}

type TopUps = z.output<typeof getTopUps.reply>['top_ups'];

/** Top-ups that can still be paid, each with its page and a button that ends it. */
export const openTopUps = (all: TopUps): Html =>
  all.length === 0
    ? html``
    : html`<h3>Waiting to be paid</h3>
${all.map(
  ({ id, amount_cents: cents, checkout_url: url, expires_at: until }) =>
    html`<p><strong>${dollars(cents)}</strong> <span class="muted">until ${moment(until)}</span></p>
${actForm({ act: 'endTopUp', hidden: { id }, label: 'End it', ...(url !== null && { beside: html`<a class="button primary" href="${url}">Open again</a>` }) })}`,
)}`;

export const topUpActs: Readonly<Record<string, Act>> = {
  topUp: callAct('The payment page is open.', postTopUp, {
    input: (form) => ({ body: { amount_cents: centsOf(oneOf(form, 'amount')) } }),
    then: ({ checkout_url: url }) =>
      providerPage({
        title: 'Top up the wallet',
        label: 'Open the payment page',
        url,
        after:
          'The wallet is credited seconds after the payment. Until then the top-up waits in the wallet, where you can open the page again or end it.',
      }),
  }),
  endTopUp: callAct('The top-up is ended. What somebody has paid by now is credited.', deleteTopUp, {
    input: (form) => ({ params: { id: oneOf(form, 'id') } }),
  }),
};
