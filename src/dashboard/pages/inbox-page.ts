import { oneOf } from '../../console/visits.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { htmlPage, shell } from '../../http/pages/shell.ts';
import { pageOfOutbox } from '../../mail/index.ts';
import { INBOX_PATH, isInboxOpen } from './sign-in-steps.ts';

const PAGE = 20;

const CODE = /^\d{6}$/;

/**
 * A line as a mail shows it: an address of this service that stands alone is a link, within this host, so that the cookies of the browser go along under any
 * name that it has for this machine. What agents and people wrote stands inside of lines, and is text.
 */
function lineOf(line: string, baseUrl: string): Html {
  const path = line.startsWith(baseUrl) ? line.slice(baseUrl.length) : '';
  if (/^\/[^\s/\\]\S*$/.test(path)) return html`<a href="${path}">${line}</a>`; // `//host` would be another host
  return CODE.test(line) ? html`<strong class="figure">${line}</strong>` : html`${line}`;
}

const textOf = (text: string, baseUrl: string): Html =>
  html`${text
    .trim()
    .split(/\n{2,}/)
    .map(
      (paragraph) =>
        html`<p>${paragraph.split('\n').map((line, at) => html`${at === 0 ? html`` : html`<br>\n`}${lineOf(line.trim(), baseUrl)}`)}</p>\n`,
    )}`;

/** The mails and SMS that an embedded instance keeps, for browsers on its machine; elsewhere there is no such page. */
export const inboxPage: PeoplePage = {
  operation: 'inboxPage',
  async page(visit) {
    if (!isInboxOpen(visit))
      throw new CarnetError('NOT_FOUND', 'No call and no page has this path. /docs lists the calls.');
    const { context, query } = visit;
    const to = oneOf(query, 'to');
    const page = /^[1-9]\d{0,4}$/.test(oneOf(query, 'page')) ? Number(oneOf(query, 'page')) : 1;
    const { items, total } = await pageOfOutbox(context, {
      to: to === '' ? undefined : to,
      limit: PAGE,
      offset: (page - 1) * PAGE,
    });
    const link = (at: number, text: string): Html =>
      html`<a class="button" href="${INBOX_PATH}?${new URLSearchParams({ ...(to !== '' && { to }), page: String(at) }).toString()}">${text}</a>\n`;
    return htmlPage(
      shell({
        title: 'Inbox',
        narrow: true,
        body: html`<h1>Inbox</h1>
<p class="lead">This instance sends no mail: what it wrote ${to === '' ? 'is here' : html`to ${to} is here`}, for browsers on this machine. <a href="${INBOX_PATH}${to === '' ? '' : `?to=${encodeURIComponent(to)}`}">Look again</a>${to === '' ? html`` : html` · <a href="${INBOX_PATH}">All mails</a>`}</p>
${items.map(
  ({ id, channel, to: recipient, subject, text, created_at: at }) => html`<article class="card" id="${id}">
<h2>${subject ?? 'SMS'}</h2>
<p class="muted small">${channel === 'sms' ? 'SMS to' : 'To'} ${recipient} · ${moment(at)}</p>
${textOf(text, context.config.publicBaseUrl)}</article>\n`,
)}${items.length === 0 ? html`<p class="empty">There is no mail yet. One comes when somebody signs in, say.</p>` : html``}
<nav class="actions" aria-label="Mails, more">${page > 1 ? link(page - 1, 'Newer') : html``}${page * PAGE < total ? link(page + 1, 'Older') : html``}</nav>`,
      }),
    );
  },
};
