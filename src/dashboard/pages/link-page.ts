import { HOME } from '../../console/places.ts';
import { isOf, isRefusal, noticeOf, oneOf, redirect } from '../../console/visits.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage, Visit } from '../../http/pages/people-pages.ts';
import { SIGN_IN } from '../limits.ts';
import { signIn } from '../sign-in.ts';
import { byTicket, readTicket } from '../ticket.ts';
import { typedIn } from '../typed-cookie.ts';
import {
  alreadySignedIn,
  Choice,
  choiceStep,
  CHOSEN,
  CODE_PATH,
  enteredIn,
  formOf,
  hidden,
  onwards,
  originOf,
  pageOf,
} from './sign-in-steps.ts';

export const LINK_PATH = '/dashboard/sign-in/link';

const linkStep = (email: string, ticket: string, notice: Html): Html => html`<h1>Sign in</h1>
${notice}
<form class="card" method="post" action="${LINK_PATH}">
${hidden('ticket', ticket)}<p>As <strong>${email}</strong>, in this browser.</p>
<div class="actions"><button class="primary">Sign in</button></div>
</form>
<p class="small"><a href="${CODE_PATH}">Enter the code of the mail</a></p>`;

const noTicket = (): Page => {
  const refusal = new CarnetError(
    'NOT_FOUND',
    'This is no link of a mail. Open the whole link, or enter the code of the mail.',
  );
  return pageOf({
    body: html`<h1>Sign in</h1>
${noticeOf(refusal)}
<p><a href="${CODE_PATH}">Enter the code of the mail</a></p>`,
    refusal,
  });
};

async function isSignedIn(visit: Visit, email: string): Promise<boolean> {
  const session = await visit.session();
  return session !== null && session.member.email.toLowerCase() === email.toLowerCase();
}

/** The link of a mail: opening it shows a button, since mail scanners open links; in the browser that requested the mail the button signs in. */
export const linkPage: PeoplePage = {
  operation: 'signInLinkPage',
  async page(visit) {
    const sent = oneOf(visit.query, 'ticket');
    const ticket = readTicket(visit.context.encryption, sent);
    if (ticket === null) return noTicket();
    // The link was opened once more, by a second click say: its first time has signed this person in.
    if (await isSignedIn(visit, ticket.email)) return redirect(HOME);
    return pageOf({ body: linkStep(ticket.email, sent, await alreadySignedIn(visit)) });
  },
  submitsAs: SIGN_IN,
  async submit(submission) {
    const { context, requestId } = submission;
    const form = formOf(submission);
    const sent = oneOf(form, 'ticket');
    const ticket = readTicket(context.encryption, sent);
    if (ticket === null) return noTicket();
    const { email } = ticket;
    const entered = { ...enteredIn(form), typed: typedIn(submission.headers.cookie, context.config.publicBaseUrl) };
    const chosen = oneOf(form, CHOSEN);
    try {
      const { token } = await signIn(context, requestId, {
        email,
        ...(chosen !== '' && { operator_id: chosen }),
        proof: byTicket(ticket),
        origin: originOf(submission),
        joins: chosen !== '',
      });
      return onwards(submission, entered, token);
    } catch (error) {
      if (isOf(error, 'OPERATOR_CHOICE_REQUIRED')) {
        const proven = { action: LINK_PATH, name: 'ticket', value: sent } as const;
        return pageOf({ body: choiceStep(entered, proven, Choice.parse(error.extra['operators'])) });
      }
      if (!isRefusal(error)) throw error;
      // The form may have been sent twice, and its first time has signed this person in.
      if (isOf(error, 'CODE_EXPIRED') && (await isSignedIn(submission, email))) return onwards(submission, entered);
      return pageOf({ body: linkStep(email, sent, noticeOf(error)), refusal: error });
    }
  },
};
