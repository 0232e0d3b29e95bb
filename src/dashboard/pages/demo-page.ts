import { HOME } from '../../console/places.ts';
import { isRefusal, noticeOf, oneOf, redirect, SIGN_IN_PATH } from '../../console/visits.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { sessionCookie } from '../../http/auth/session-cookie.ts';
import { html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { demoOperatorOf, signInByDemoLink } from '../demo-link.ts';
import { SIGN_IN } from '../limits.ts';
import { alreadySignedIn, formOf, hidden, pageOf } from './sign-in-steps.ts';

export const DEMO_PATH = '/dashboard/sign-in/demo';

const refused = (refusal: CarnetError): Page =>
  pageOf({
    body: html`<h1>Sign in</h1>
${noticeOf(refusal)}
<p><a href="${SIGN_IN_PATH}">Sign in with a code</a></p>`,
    refusal,
  });

const over = (): Page =>
  refused(
    new CarnetError(
      'NOT_FOUND',
      'This link is over. Each counts once, for a quarter of an hour; the next start of the service prints new ones.',
    ),
  );

/**
 * The links that the terminal of an embedded instance shows sign in as the owners of the demo operators. Opening one shows a button; each signs
 * in once. The process that made them knows them, so none outlives it.
 */
export function demoPage(): PeoplePage {
  const used = new Set<string>();
  const isUsable = (token: string): boolean => !used.has(token);
  return {
    operation: 'demoPage',
    async page(visit) {
      const token = oneOf(visit.query, 'token');
      const which = isUsable(token) ? demoOperatorOf(visit.context, token) : null;
      if (which === null) return over();
      return pageOf({
        body: html`<h1>Sign in</h1>
${await alreadySignedIn(visit)}
<form class="card" method="post" action="${DEMO_PATH}">
${hidden('token', token)}<p>As the owner of the demo ${which}, in this browser.</p>
<div class="actions"><button class="primary">Sign in</button></div>
</form>`,
      });
    },
    submitsAs: SIGN_IN,
    async submit(submission) {
      const { context, requestId, headers } = submission;
      const token = oneOf(formOf(submission), 'token');
      const which = isUsable(token) ? demoOperatorOf(context, token) : null;
      if (which === null) return over();
      used.add(token); // before anything is waited for, so that one of two that send it signs in
      try {
        const session = await signInByDemoLink(context, requestId, { which, cookies: headers.cookie });
        return redirect(HOME, { 'Set-Cookie': sessionCookie(session.token, context.config.publicBaseUrl) });
      } catch (error) {
        used.delete(token);
        if (!isRefusal(error)) throw error;
        return refused(error);
      }
    },
  };
}
