import { personsPage } from '../../console/layout.ts';
import { HOME } from '../../console/places.ts';
import {
  bySignedIn,
  forSignedIn,
  isOf,
  oneOf,
  redirect,
  SIGN_IN_PATH,
  type PersonsVisit,
} from '../../console/visits.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { sessionCookie } from '../../http/auth/session-cookie.ts';
import { html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { otherOperators, switchOperator } from '../switch-operator.ts';
import { formOf } from './sign-in-steps.ts';

export const SWITCH_PATH = `${HOME}/switch`;

async function shownOperators(person: PersonsVisit, refusal?: CarnetError): Promise<Page> {
  const { session, visit } = person;
  const others = await otherOperators(visit.context, session);
  return personsPage(person, {
    title: 'Switch operator',
    path: SWITCH_PATH,
    refusal,
    body: html`<h1>Switch operator</h1>
<p class="lead">You act for ${session.operator.name}. Your session for it ends when you switch.</p>
${
  others.length === 0
    ? html`<p class="empty">${session.member.email} is a member of no other operator.</p>`
    : html`<form class="card choices" method="post" action="${SWITCH_PATH}">
${others.map(({ operator_id: id, operator_name: name, role }) => html`<button name="operator_id" value="${id}">${name} <span class="hint">${role} · ${id}</span></button>\n`)}</form>`
}
<p class="small">An invitation is accepted by <a href="${SIGN_IN_PATH}">signing in</a> again, and so is another address used.</p>`,
  });
}

/** A person of several operators goes on for another one. */
export const switchPage: PeoplePage = {
  operation: 'switchPage',
  page: (visit) => forSignedIn(visit, SWITCH_PATH, (person) => shownOperators(person)),
  submit: (submission) =>
    bySignedIn(submission, SWITCH_PATH, async (person) => {
      const { context, requestId, headers } = submission;
      try {
        const { token } = await switchOperator(context, requestId, {
          from: person.session,
          operatorId: oneOf(formOf(submission), 'operator_id'),
          cookies: headers.cookie,
        });
        return redirect(HOME, { 'Set-Cookie': sessionCookie(token, context.config.publicBaseUrl) });
      } catch (error) {
        if (!isOf(error, 'NOT_FOUND')) throw error;
        return await shownOperators(
          person,
          new CarnetError('NOT_FOUND', 'You are no member of that operator any more, or it is suspended.'),
        );
      }
    }),
};
