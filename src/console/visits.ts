import type { OperatorCaller } from '../commands/caller.ts';
import { mayApprove } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { admit } from '../http/auth/audience.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { Page } from '../http/pages/page.ts';
import type { SignedIn, Submission, Visit } from '../http/pages/people-pages.ts';
import { htmlPage, shell } from '../http/pages/shell.ts';
import type { JsonValue } from '../json/value.ts';
import { HOME } from './places.ts';
import { encryptTyped } from './typed.ts';

/** A page at which somebody is signed in. */
export interface PersonsVisit<V extends Visit = Visit> {
  visit: V;
  caller: OperatorCaller;
  session: SignedIn;
}

export const SIGN_IN_PATH = `${HOME}/sign-in`;

/** One value of a form or of an address; '' where there is none, or several. */
export const oneOf = (values: Visit['query'], name: string): string => {
  const value = values[name];
  return typeof value === 'string' ? value : '';
};

export const isOf = (error: unknown, code: CarnetError['code']): error is CarnetError =>
  error instanceof CarnetError && error.code === code;

/**
 * Whether this is a refusal to be shown where the form was, in its own words. A form may name what is not there, or need a part of the service
 * that is away; where the thing of the page itself is not there, the page is refused when it is shown again.
 */
export const isRefusal = (error: unknown): error is CarnetError =>
  error instanceof CarnetError && error.code !== 'INTERNAL_ERROR';

export const noticeOf = (refusal: CarnetError, focus: Html = html``): Html =>
  html`<p class="notice error" role="alert"${focus}>${refusal.message}</p>\n`;

/** Attributes of the element where the reader goes on after an act: a page that is loaded begins at its top otherwise. */
export const focused = html` tabindex="-1" autofocus`;

/** So that loading the page again sends no form again. */
export const redirect = (location: string, headers: NonNullable<Page['headers']> = {}): Page => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: `See ${location}\n`,
  location,
  headers,
});

/** Where somebody is led once they have signed in: a page of the dashboard, so that no link leads elsewhere. */
export const pathBack = (path: string): string => (/^\/dashboard(?:\/[\w-]{1,64}){1,2}$/.test(path) ? path : HOME);

function signInFor(path: string, query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({ ...query, ...(pathBack(path) !== HOME && { next: path }) });
  return parameters.size === 0 ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${parameters.toString()}`;
}

/**
 * A browser that follows a link of another site leaves out the session cookie (SameSite=Strict), and sends it with what a page of ours
 * makes it open: so the page is opened once more, from here.
 */
const isFromElsewhere = ({ headers, query }: Visit): boolean =>
  headers['sec-fetch-site'] === 'cross-site' && query['again'] === undefined;

function openedAgain(path: string): Page {
  const again = `${pathBack(path)}?again`;
  const body = html`<h1>One moment</h1>
<p>You came from another site. <a href="${again}">Open the page</a>, if it does not open by itself.</p>`;
  return {
    ...htmlPage(shell({ title: 'One moment', body, narrow: true })),
    headers: { Refresh: `0; url=${again}` },
  };
}

/** Who visits, whether their operator is suspended or not; null: nobody is signed in. */
async function signedInAt<V extends Visit>(visit: V): Promise<PersonsVisit<V> | null> {
  const caller = visit.person?.caller;
  if (caller?.kind !== 'operator') return null; // a session is no other
  const session = await visit.session();
  return session === null ? null : { visit, caller, session };
}

/** The form goes along, where it can be shown again. */
function ended({ context, query, form: sent }: Submission, path: string): Page {
  const form = sent as Visit['query'];
  // A form of `consolePage` names its act; no other page shows one again.
  if (oneOf(form, 'act') === '' || pathBack(path) === HOME) return redirect(signInFor(path, { notice: 'ended' }));
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
  const address = search.size === 0 ? path : `${path}?${search.toString()}`;
  const typed = encryptTyped(context.encryption, { path: address, form });
  return typed === '' || pathBack(path) === HOME
    ? redirect(signInFor(path, { notice: 'ended' }))
    : signInAgain(path, typed);
}

const signInAgain = (path: string, typed: string): Page =>
  htmlPage(
    shell({
      title: 'Sign in',
      narrow: true,
      current: HOME,
      body: html`<h1>Sign in</h1>
<p class="notice warning" role="status"${focused}>Your session is over, and nothing was changed. Sign in again: then the form is shown as you have filled it in, without secrets.</p>
<form class="card" method="post" action="${SIGN_IN_PATH}">
<input type="hidden" name="next" value="${pathBack(path)}"><input type="hidden" name="typed" value="${typed}">
<label>E-mail address<input name="email" type="email" autocomplete="email" maxlength="254" required></label>
<div class="actions"><button class="primary">Send me a code</button></div>
</form>`,
    }),
  );

/**
 * A page for a person who is signed in; everybody else is led to where people sign in, and back.
 * @param path of the page
 * @throws CarnetError OPERATOR_SUSPENDED
 */
export async function forPerson(
  visit: Visit,
  path: string,
  page: (person: PersonsVisit) => Promise<Page>,
): Promise<Page> {
  if (visit.person !== null) admit(visit.person, 'operator', 'get');
  return await forSignedIn(visit, path, page);
}

/**
 * The form of such a page does this. A session that has ended since the page was shown leads to signing in, and nothing is done.
 * @throws CarnetError OPERATOR_SUSPENDED
 */
export async function byPerson(
  submission: Submission,
  path: string,
  act: (person: PersonsVisit<Submission>) => Promise<Page>,
): Promise<Page> {
  if (submission.person !== null) admit(submission.person, 'operator', 'post');
  return await bySignedIn(submission, path, act);
}

/** A page that people of a suspended operator may open too. */
export async function forSignedIn(
  visit: Visit,
  path: string,
  page: (person: PersonsVisit) => Promise<Page>,
): Promise<Page> {
  const person = await signedInAt(visit);
  if (person !== null) return await page(person);
  return isFromElsewhere(visit) ? openedAgain(path) : redirect(signInFor(path));
}

/** The forms that sign out and switch do this: they end something, and people of a suspended operator may send them too. */
export async function bySignedIn(
  submission: Submission,
  path: string,
  act: (person: PersonsVisit<Submission>) => Promise<Page>,
): Promise<Page> {
  const person = await signedInAt(submission);
  return person === null ? ended(submission, path) : await act(person);
}

/**
 * The call of the API that a page or its form stands for, where the page calls a function of a domain. What these calls do they do once,
 * however often the form is sent, so none has an Idempotency-Key.
 */
export const callOf = (
  { visit, caller }: PersonsVisit,
  { operation, method, path, body }: { operation: string; method: string; path: string; body: JsonValue },
): CommandCall => ({
  caller,
  operation,
  idempotency: null,
  requestId: visit.requestId,
  request: { method, path, body, approvalId: undefined },
});

/** That this person may decide what waits. @throws CarnetError ADMIN_REQUIRED */
export function assertDecides({ visit }: PersonsVisit): void {
  if (visit.person !== null) admit(visit.person, 'person', 'post');
}

/** That this person administers the platform. @throws CarnetError ADMIN_REQUIRED */
export function assertPlatform({ visit }: PersonsVisit): void {
  if (visit.person !== null) admit(visit.person, 'platform', 'get');
}

/** Whether this person is an owner or administrator. */
export const decides = ({ caller }: PersonsVisit): boolean => mayApprove(caller);
