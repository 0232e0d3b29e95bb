import { html, type Html } from '../../../http/pages/html.ts';
import { LOCAL_PAGES } from './addresses.ts';

/** The frame of every local page. It has no script, and its footer says that no money moves. */
export const localPage = (title: string, content: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Carnet</title>
<link rel="stylesheet" href="${LOCAL_PAGES}/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
<footer>
<p class="note">This is the local payment page: no money moves. With STRIPE_SECRET_KEY set, people pay on a page of Stripe instead.</p>
<p><a href="/dashboard">Back to Carnet</a></p>
</footer>
</body>
</html>
`;

/** `2026-11-21 12:03 UTC`, in a `time` element that programs can read too. */
export const moment = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
