import { HOME } from '../../console/places.ts';
import { isOf, isRefusal, noticeOf, oneOf, redirect, SIGN_IN_PATH } from '../../console/visits.ts';
import { z } from 'zod';
import { RegisterOperatorSchema } from '../../accounts/index.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { sessionCookie } from '../../http/auth/session-cookie.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage, Visit } from '../../http/pages/people-pages.ts';
import { minutesOf } from '../../one-time-codes/codes.ts';
import { SEND_CODE, SIGN_IN } from '../limits.ts';
import { registerByCode } from '../register.ts';
import { SignInSchema } from '../schema.ts';
import { sendSignInCode } from '../send-code.ts';
import {
  alreadySignedIn,
  codeInput,
  emailInput,
  formOf,
  hidden,
  originOf,
  outboxHint,
  pageOf,
  REGISTER_PATH,
} from './sign-in-steps.ts';

/*
 * Registering an operator: its name and an address, then the code of the mail, then the operator is made and the person signed in as its
 * owner. The answers are the same whether the address is known or not.
 */

export const REGISTER_CODE_PATH = `${REGISTER_PATH}/code`;

interface Wanted {
  name: string;
  email: string;
}

const wantedIn = (values: Visit['query']): Wanted => ({
  name: oneOf(values, 'name').trim(),
  email: oneOf(values, 'email').trim(),
});

/** @throws CarnetError NOT_FOUND where operators register by the platform alone */
function assertOpen({ context }: Visit): void {
  if (!context.config.openRegistration)
    throw new CarnetError('NOT_FOUND', 'No call and no page has this path. /docs lists the calls.');
}

const nameStep = ({ name, email }: Wanted, notice: Html): Html => html`<h1>Register an operator</h1>
${notice}
<p class="muted">An operator is a company or a person whose agents act here. You become its owner, and prove the address by a code.</p>
<form class="card" method="post" action="${REGISTER_PATH}">
<label>Name of the operator<input name="name" maxlength="200" value="${name}" required></label>
${emailInput(email)}
<div class="actions"><button class="primary">Send me a code</button></div>
</form>
<p class="small"><a href="${SIGN_IN_PATH}">Sign in instead</a></p>`;

const codeStep = (visit: Visit, wanted: Wanted, notice: Html): Html => html`<h1>Enter the code</h1>
${notice}
${outboxHint(visit, wanted.email)}
<form class="card" method="post" action="${REGISTER_CODE_PATH}">
${hidden('name', wanted.name)}${hidden('email', wanted.email)}<p class="muted">${wanted.name}, ${wanted.email}</p>
${codeInput}
<div class="actions"><button class="primary">Register</button></div>
</form>
<form method="post" action="${REGISTER_PATH}">
${hidden('name', wanted.name)}${hidden('email', wanted.email)}<p class="small"><button class="plain">Send another code</button> · <a href="${REGISTER_PATH}">Begin again</a></p>
</form>`;

const title = 'Register';

const refusedName = (wanted: Wanted, refusal: CarnetError): Page =>
  pageOf({ title, body: nameStep(wanted, noticeOf(refusal)), refusal });

/** The fields as they are taken, or why they are not. */
function read(wanted: Wanted): z.infer<typeof RegisterOperatorSchema> | CarnetError {
  const { data, error } = RegisterOperatorSchema.safeParse(wanted);
  if (data !== undefined) return data;
  return error.issues.some(({ path }) => path[0] === 'email')
    ? new CarnetError('VALIDATION_ERROR', 'That is no e-mail address. Enter one as ada@example.com.')
    : new CarnetError('VALIDATION_ERROR', `Enter the name of the operator: ${error.issues[0]?.message ?? ''}.`);
}

export const registerPage: PeoplePage = {
  operation: 'registerPage',
  async page(visit) {
    assertOpen(visit);
    return pageOf({ title, body: nameStep(wantedIn(visit.query), await alreadySignedIn(visit)) });
  },
  submitsAs: SEND_CODE,
  async submit(submission) {
    assertOpen(submission);
    const { context, requestId } = submission;
    const wanted = wantedIn(formOf(submission));
    const given = read(wanted);
    if (given instanceof CarnetError) return refusedName(wanted, given);
    try {
      const origin = originOf(submission);
      const { cookie } = await sendSignInCode(context, requestId, { email: given.email, origin, registers: true });
      const time = minutesOf(context.config.verificationCodeSeconds);
      const sent = html`<p>A code is on its way to the address. It counts for ${time}; nothing is made before you enter it.</p>`;
      return pageOf({ title, body: codeStep(submission, wanted, sent), headers: { 'Set-Cookie': cookie } });
    } catch (error) {
      if (!isOf(error, 'RATE_LIMITED')) throw error;
      return pageOf({ title, body: codeStep(submission, wanted, noticeOf(error)), refusal: error });
    }
  },
};

export const registerCodePage: PeoplePage = {
  operation: 'registerCodePage',
  async page(visit) {
    assertOpen(visit);
    return redirect(REGISTER_PATH);
  },
  submitsAs: SIGN_IN,
  async submit(submission) {
    assertOpen(submission);
    const { context, requestId } = submission;
    const form = formOf(submission);
    const wanted = wantedIn(form);
    const given = read(wanted);
    if (given instanceof CarnetError) return refusedName(wanted, given);
    const code = SignInSchema.shape.code.safeParse(oneOf(form, 'code').replaceAll(/\s/g, ''));
    if (!code.success) {
      const refusal = new CarnetError('VALIDATION_ERROR', 'Enter the six digits of the mail.');
      return pageOf({ title, body: codeStep(submission, wanted, noticeOf(refusal)), refusal });
    }
    try {
      const origin = originOf(submission);
      const { token } = await registerByCode(context, requestId, { ...given, code: code.data, origin });
      return redirect(HOME, { 'Set-Cookie': sessionCookie(token, context.config.publicBaseUrl) });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const session = isOf(error, 'CODE_EXPIRED') ? await submission.session() : null;
      // The form may have been sent twice, and its first time has made the operator.
      if (session?.member.email === given.email && session.operator.name === given.name) return redirect(HOME);
      return pageOf({ title, body: codeStep(submission, wanted, noticeOf(error)), refusal: error });
    }
  },
};
