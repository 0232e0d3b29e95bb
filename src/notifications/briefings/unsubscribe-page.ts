import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page, PathOfPage } from '../../http/pages/page.ts';
import { htmlPage, shell } from '../../http/pages/shell.ts';
import { subjectOfUnsubscribing } from '../../mail/index.ts';
import { unsubscribe } from './unsubscribe.ts';

const pageOf = (body: Html): Page => htmlPage(shell({ title: 'Mails from Carnet', narrow: true, body }));

const ask = html`<h1>End these mails?</h1>
<p>No more mails of this kind are sent to this address for this operator.</p>
<form class="card" method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<div class="actions"><button class="primary">End these mails</button></div>
</form>`;

const done = (subject: string): Html => html`<h1>Ended</h1>
<p class="notice good" role="status">${
  subject.startsWith('mem_')
    ? 'You get no more mails about what waits for you. In the dashboard you can turn them on again.'
    : 'No notifications of this operator are sent to this address any more. It would have to be verified by a new code first.'
}</p>`;

/**
 * The page that a link of `unsubscribeLink` opens. Opening it does nothing, since mail scanners open links; its form, and a mail program by
 * itself (RFC 8058), end the mails. The address alone opens it, so the form needs no check of its origin.
 */
export function unsubscribePages(context: Context): PathOfPage[] {
  const subjectOf = (token: string): string => {
    const subject = subjectOfUnsubscribing(context.encryption, token);
    if (subject === null)
      throw new CarnetError('NOT_FOUND', 'There is nothing at this address. Open the link of the mail.');
    return subject;
  };
  return [
    [
      '/unsubscribe/:id',
      {
        operation: 'unsubscribe',
        forPeople: true,
        anyForm: true,
        async page({ id }) {
          subjectOf(id);
          return pageOf(ask);
        },
        async submit({ id }) {
          const subject = subjectOf(id);
          await unsubscribe(context, subject);
          return pageOf(done(subject));
        },
      },
    ],
  ];
}
