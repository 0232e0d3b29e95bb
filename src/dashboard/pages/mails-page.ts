import { HOME } from '../../console/places.ts';
import { personsPage } from '../../console/layout.ts';
import { byPerson, callOf, forPerson, redirect, type PersonsVisit } from '../../console/visits.ts';
import { z } from 'zod';
import { parseOrRefuse } from '../../errors/faults.ts';
import { html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { areBriefingsOff, turnBriefings } from '../../notifications/index.ts';

export const MAILS_PATH = `${HOME}/mails`;

async function shownMails(person: PersonsVisit): Promise<Page> {
  const { visit, session } = person;
  const off = await areBriefingsOff(visit.context.pool, session.member.id);
  return personsPage(person, {
    title: 'Mails',
    body: html`<h1>Mails to you</h1>
<article class="card">
<p>${off ? 'You get no mails about approvals and reviews that wait.' : 'Owners and administrators are mailed when an approval or a review waits; many in a row come together, once in five minutes.'}</p>
<form method="post" action="${MAILS_PATH}" class="actions">
<button name="mails" value="${off ? 'on' : 'off'}">${off ? 'Turn them on' : 'Turn them off'}</button>
</form>
<p class="muted">Mails about new keys, invitations, another e-mail address of the operator and agents that were unblocked are always sent to owners and administrators.</p>
</article>
<p><a href="${HOME}">All that waits</a></p>`,
  });
}

const MailsForm = z.strictObject({ mails: z.enum(['on', 'off']) });

/** A person turns mails about what waits for them off, and on again. */
export const mailsPage: PeoplePage = {
  operation: 'mailsPage',
  page: (visit) => forPerson(visit, MAILS_PATH, shownMails),
  submit: (submission) =>
    byPerson(submission, MAILS_PATH, async (person) => {
      const body = parseOrRefuse(MailsForm, submission.form);
      const call = callOf(person, { operation: 'turnBriefings', method: 'POST', path: MAILS_PATH, body });
      await turnBriefings(submission.context, call, { memberId: person.session.member.id, off: body.mails === 'off' });
      return redirect(MAILS_PATH);
    }),
};
