import { html } from '../../http/pages/html.ts';
import type { Shown } from '../../console/page.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { WALLET_PATH } from './words.ts';

interface ProviderPage {
  title: string;
  /** On the button. */
  label: string;
  /** The sentence below it. */
  after: string;
  url: string;
}

/**
 * Leads to a page of the payment provider. A link does: the policy of pages keeps a form from leading to another site, and nobody is sent
 * to pay without having seen where.
 */
export const providerPage = ({ title, label, after, url }: ProviderPage): Shown => ({
  title,
  body: html`<h1>${title}</h1>
<section class="card"><p>The page of the payment provider, at <strong>${new URL(url).host}</strong>, is ready.</p>
<div class="actions"><a class="button primary" href="${url}">${label}</a><a class="button" href="${WALLET_PATH}">Back to the wallet</a></div></section>
<p class="muted">${after}</p>
`,
});

/** Whether people can pay on this instance. */
export const takesPayments = ({ visit: { context } }: PersonsVisit): boolean => context.config.payments !== undefined;
