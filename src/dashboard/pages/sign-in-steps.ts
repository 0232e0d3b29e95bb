import { CONSOLE_SCRIPT } from '../../console/assets.ts';
import { signOutForm } from '../../console/layout.ts';
import { HOME } from '../../console/places.ts';
import { decryptTyped } from '../../console/typed.ts';
import { oneOf, pathBack, redirect, SIGN_IN_PATH } from '../../console/visits.ts';
import { z } from 'zod';
import { demoOperators } from '../../accounts/index.ts';
import type { Config } from '../../context/config.ts';
import type { CarnetError } from '../../errors/carnet-error.ts';
import { sessionCookie } from '../../http/auth/session-cookie.ts';
import { typedCookie, typedIn } from '../typed-cookie.ts';
import { shownCredentialsFile } from '../../http/pages/credentials-file.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { Submission, Visit } from '../../http/pages/people-pages.ts';
import { htmlPage, shell } from '../../http/pages/shell.ts';
import type { Origin } from '../asker.ts';
import type { DashboardSession } from '../schema.ts';

/*
 * Signing in: the address, then the code of the mail, then the operator where there are several. Each step is a plain form, and what was
 * entered before stands in the form of the next; nothing is kept between them. Opening a page does nothing, since mail scanners open
 * links.
 */

export const CODE_PATH = '/dashboard/sign-in/code';
export const REGISTER_PATH = '/dashboard/register';

/** Where the outbox of an embedded instance is read. */
export const INBOX_PATH = '/inbox';

/**
 * Who reads the inbox can sign in as anybody, so it is open to browsers on the machine of an embedded instance alone; elsewhere it is no page.
 */
export const isInboxOpen = ({ context: { config }, fromThisMachine }: Visit): boolean =>
  config.localInbox && fromThisMachine;

/** The fields that the forms carry. */
export interface Entered {
  email: string;
  /** Where the person wants to work, '' where none is named: a wish, since it may be of the address, which anybody can have made. */
  operatorId: string;
  /** Where the person wanted to go. */
  next: string;
  /** The form that was sent when a session had ended, sealed; '': none was. */
  typed: string;
}

export const enteredIn = (values: Visit['query']): Entered => ({
  email: oneOf(values, 'email').trim(),
  operatorId: oneOf(values, 'operator_id'),
  next: pathBack(oneOf(values, 'next')),
  typed: oneOf(values, 'typed'),
});

/** As `parseQuery` reads it. */
export const formOf = ({ form }: Submission): Visit['query'] => form as Visit['query'];

export const originOf = ({ headers, network }: Visit): Origin => ({ cookies: headers.cookie, network });

const nothing = html``;

export const hidden = (name: string, value: string): Html =>
  value === '' ? nothing : html`<input type="hidden" name="${name}" value="${value}">\n`;

export const carried = ({ operatorId, next, typed }: Entered): Html =>
  html`${hidden('operator_id', operatorId)}${hidden('next', next === HOME ? '' : next)}${hidden('typed', typed)}`;

/**
 * Where a person goes who has signed in: where they wanted to, or to the form that they had filled in.
 * @param token of a new session; absent: they were signed in already
 */
export function onwards({ context, headers: { cookie } }: Visit, { next, typed }: Entered, token?: string): Page {
  const { config, encryption } = context;
  const { publicBaseUrl } = config;
  const cookies = [
    ...(token === undefined ? [] : [sessionCookie(token, publicBaseUrl)]),
    ...(typedIn(cookie, publicBaseUrl) === '' ? [] : [typedCookie('', { publicBaseUrl, seconds: 0 })]),
  ];
  const headers = cookies.length === 0 ? {} : { 'Set-Cookie': cookies };
  const kept = typed === '' ? null : decryptTyped(encryption, typed);
  if (kept === null) return redirect(next, headers);
  return pageOf({
    title: 'Signed in',
    headers,
    body: html`<h1>You are signed in</h1>
<form class="card" method="post" action="${kept.path}">
${hidden('typed', typed)}<p>What you had typed is kept. Nothing is done before you send it again.</p>
<div class="actions"><button class="primary">Show the form</button> <a class="button" href="${HOME}">Leave it</a></div>
</form>`,
  });
}

interface Step {
  title?: string;
  body: Html;
  refusal?: CarnetError;
  headers?: NonNullable<Page['headers']>;
}

export const pageOf = ({ title = 'Sign in', body, refusal, headers }: Step): Page => ({
  ...htmlPage(shell({ title, narrow: true, current: HOME, body, scripts: [CONSOLE_SCRIPT] }), refusal?.status),
  headers: { ...refusal?.headers, ...headers },
});

/** Why somebody is here, by a name in the address: nobody can put words of their own on the page. */
export const notices: ReadonlyMap<string, Html> = new Map([
  ['signed_out', html`<p class="notice good" role="status">You are signed out.</p>`],
  [
    'ended',
    html`<p class="notice warning" role="status">Your session is over, and nothing was changed. Sign in again, then look at it once more.</p>`,
  ],
]);

/** They may sign in as somebody else all the same. */
export const signedInAs = ({ member, operator }: DashboardSession): Html => html`<div class="notice">
<p>You are signed in as ${member.email} at ${operator.name}: <a href="${HOME}">go to the dashboard</a>.</p>
${signOutForm}
</div>`;

export async function alreadySignedIn(visit: Visit): Promise<Html> {
  const session = await visit.session();
  return session === null ? nothing : signedInAs(session);
}

export const emailInput = (email: string): Html => html`<label>E-mail address
<input name="email" type="email" autocomplete="email" maxlength="254" value="${email}" required></label>`;

export const codeInput = html`<label>Six digits of the mail
<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,11}" maxlength="11" required autofocus></label>`;

/** Says which addresses there are on an instance that sends no mail. */
function localAddress(visit: Visit): Html {
  if (isInboxOpen(visit))
    return html`<p class="notice">This instance sends no mail: what it writes is in <a href="${INBOX_PATH}">its inbox</a>. The owners of the demo operators are <code>${demoOperators.publisher.email}</code> and <code>${demoOperators.consumer.email}</code>.</p>`;
  const { config } = visit.context;
  const file = shownCredentialsFile(config);
  const where =
    file === undefined ? html`<code>credentials.json</code> of its data directory` : html`<code>${file}</code>`;
  return html`<p class="notice">This instance sends no mail. Where <code>npm start</code> runs, ${where} has the address of an owner, <code>email</code>. The next page says where the code is.</p>`;
}

export const addressStep = (visit: Visit, entered: Entered, notice: Html): Html => {
  const { config } = visit.context;
  return html`<h1>Sign in</h1>
${notice}
<p class="muted">You get a code of six digits by mail. There is no password.</p>
${config.mail === undefined ? localAddress(visit) : nothing}
<form class="card" method="post" action="${SIGN_IN_PATH}">
${carried(entered)}${emailInput(entered.email)}
<div class="actions"><button class="primary">Send me a code</button></div>
</form>
<p class="small"><a href="${CODE_PATH}">I have a code already</a>${config.openRegistration ? html` · <a href="${REGISTER_PATH}">Register an operator</a>` : nothing}</p>`;
};

/** A path as a shell takes it, with quotes and blanks in it too. */
const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

const outboxKey = (config: Config): string => {
  const file = shownCredentialsFile(config);
  const from = file === undefined ? '"${DATA_DIR:-./.carnet}/credentials.json"' : quoted(file);
  return `ADMIN=$(node -p "JSON.parse(fs.readFileSync(0)).admin_api_key" < ${from})`;
};
/** Prints the code of the newest mail that has one. */
const CODE_OF_MAIL =
  'node -p "JSON.parse(fs.readFileSync(0)).messages.map((mail) => mail.text.match(/^\\d{6}$/m)).find(Boolean)?.[0]"';

/** Where the mail is on an instance that sends none: on its own machine in the inbox, elsewhere the holder of the platform's key reads it. */
export function outboxHint(visit: Visit, email: string): Html {
  const { config } = visit.context;
  if (config.mail !== undefined) return nothing;
  if (isInboxOpen(visit))
    return html`<p class="notice"><strong>This instance sends no mail.</strong> The code is in <a href="${INBOX_PATH}${email === '' ? '' : `?to=${encodeURIComponent(email)}`}" target="_blank">its inbox</a>.</p>
`;
  const to = email === '' ? '' : `&to=${encodeURIComponent(email).replaceAll("'", '%27')}`;
  return html`<div class="notice">
<p><strong>This instance sends no mail.</strong> The code is in its outbox, which the platform’s key reads. Where <code>npm start</code> runs, paste this in the folder of the project:</p>
<pre class="wrapped" tabindex="0"><code>${outboxKey(config)}
curl -sS -H "Authorization: Bearer $ADMIN" '${config.publicBaseUrl}/v1/admin/outbox?limit=20${to}' | ${CODE_OF_MAIL}</code></pre>
<p class="small">Elsewhere <code>ADMIN</code> is the value of <code>PLATFORM_ADMIN_KEY</code>.</p>
</div>`;
}

/** @param notice what is new: a code is on its way, or why the last one was refused */
export function codeStep(visit: Visit, entered: Entered, notice: Html): Html {
  const { email } = entered;
  const again =
    email === ''
      ? html`<p class="small"><a href="${SIGN_IN_PATH}">I have no code yet</a></p>`
      : html`<form method="post" action="${SIGN_IN_PATH}">
${hidden('email', email)}${carried(entered)}<p class="small"><button class="plain">Send another code</button> · <a href="${SIGN_IN_PATH}">Use another address</a></p>
</form>`;
  return html`<h1>Enter the code</h1>
${notice}
${outboxHint(visit, email)}
<form class="card" method="post" action="${CODE_PATH}">
${carried(entered)}${email === '' ? emailInput('') : html`${hidden('email', email)}<p class="muted">${email}</p>`}
${codeInput}
<div class="actions"><button class="primary">Sign in</button></div>
</form>
${again}`;
}

export const Choice = z.array(z.object({ id: z.string(), name: z.string(), role: z.string(), status: z.string() }));

/** The value that the buttons of the choice send, and nothing else does: no address fills it in. */
export const CHOSEN = 'chosen';

/** The proof that the form of the choice sends again. */
interface Proven {
  action: string;
  name: 'code' | 'ticket';
  value: string;
}

/** The right code was entered by a person of several operators, or who is invited; it counts until one is chosen. */
export const choiceStep = (
  { email, next, typed }: Entered,
  { action, name: named, value: proof }: Proven,
  operators: z.infer<typeof Choice>,
): Html => html`<h1>Choose an operator</h1>
<p>You work for these operators, or are invited to. You are a member of one that has invited you once you join it, and not before: join none that you do not know.</p>
<form class="card choices" method="post" action="${action}">
${hidden('email', email)}${hidden(named, proof)}${hidden('next', next === HOME ? '' : next)}${hidden('typed', typed)}${operators.map(
  ({ id, name, role, status }) =>
    html`<button name="${CHOSEN}" value="${id}">${
      status === 'invited'
        ? html`${name} invites you as ${role}: Join <span class="hint">${id}</span>`
        : html`${name} <span class="hint">${role} · ${id}</span>`
    }</button>\n`,
)}</form>`;
