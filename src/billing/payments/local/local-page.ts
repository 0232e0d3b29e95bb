import { html, type Html } from '../../../http/pages/html.ts';
import { shell } from '../../../http/pages/shell.ts';

/** The frame of every local page. It has no script and no navigation, and its footer says that no money moves. */
export const localPage = (title: string, content: Html): Html =>
  shell({
    title,
    narrow: true,
    nav: [],
    body: html`<h1>${title}</h1>
${content}`,
    footer: html`<p>This is the local payment page: no money moves. With <code>STRIPE_SECRET_KEY</code> set, people pay on a page of Stripe instead.</p>
<p><a href="/dashboard/wallet">Back to the wallet</a></p>`,
  });
