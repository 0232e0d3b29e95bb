import { HOME } from '../../console/places.ts';
import { bySignedIn, callOf, isOf, isRefusal, noticeOf, oneOf, redirect, SIGN_IN_PATH } from '../../console/visits.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { noSessionCookie } from '../../http/auth/session-cookie.ts';
import { html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage, Submission } from '../../http/pages/people-pages.ts';
import { minutesOf } from '../../one-time-codes/codes.ts';
import { SEND_CODE, SIGN_IN } from '../limits.ts';
import { byCode } from '../prove-address.ts';
import { RequestCodeSchema, SignInSchema, type DashboardSession } from '../schema.ts';
import { sendSignInCode } from '../send-code.ts';
import { endCurrentSession } from '../sessions.ts';
import { typedFor } from '../typed-cookie.ts';
import { signIn } from '../sign-in.ts';
import {
  addressStep,
  alreadySignedIn,
  Choice,
  choiceStep,
  CHOSEN,
  CODE_PATH,
  codeStep,
  enteredIn,
  formOf,
  notices,
  onwards,
  originOf,
  pageOf,
  signedInAs,
  type Entered,
} from './sign-in-steps.ts';

export const signInPage: PeoplePage = {
  operation: 'signInPage',
  async page(visit) {
    const notice = notices.get(oneOf(visit.query, 'notice')) ?? (await alreadySignedIn(visit));
    return pageOf({ body: addressStep(visit, enteredIn(visit.query), notice) });
  },
  submitsAs: SEND_CODE,
  async submit(submission) {
    const { context, requestId } = submission;
    const entered = enteredIn(formOf(submission));
    const { data, success } = RequestCodeSchema.safeParse({ email: entered.email });
    if (!success) {
      const refusal = new CarnetError('VALIDATION_ERROR', 'That is no e-mail address. Enter one as ada@example.com.');
      return pageOf({ body: addressStep(submission, entered, noticeOf(refusal)), refusal });
    }
    try {
      const { cookie } = await sendSignInCode(context, requestId, { ...data, origin: originOf(submission) });
      const time = minutesOf(context.config.verificationCodeSeconds);
      const sent = html`<p>If this is the address of a member, a code is on its way to it. It counts for ${time}.</p>`;
      const headers = { 'Set-Cookie': [cookie, ...typedFor(submission, entered.typed)] };
      return pageOf({ body: codeStep(submission, entered, sent), headers });
    } catch (error) {
      if (!isOf(error, 'RATE_LIMITED')) throw error;
      return pageOf({ body: codeStep(submission, entered, noticeOf(error)), refusal: error });
    }
  },
};

export const codePage: PeoplePage = {
  operation: 'signInCodePage',
  page: async (visit) =>
    pageOf({ body: codeStep(visit, { ...enteredIn(visit.query), email: '' }, await alreadySignedIn(visit)) }),
  submitsAs: SIGN_IN,
  async submit(submission) {
    const { context, requestId } = submission;
    const form = formOf(submission);
    const chosen = oneOf(form, CHOSEN);
    const wished = enteredIn(form);
    const entered = { ...wished, operatorId: chosen === '' ? wished.operatorId : chosen };
    const code = oneOf(form, 'code').replaceAll(/\s/g, '');
    const { data, success } = SignInSchema.safeParse({
      email: entered.email,
      code,
      ...(entered.operatorId !== '' && { operator_id: entered.operatorId }),
    });
    if (!success) {
      const refusal = new CarnetError('VALIDATION_ERROR', 'Enter your e-mail address and the six digits of the mail.');
      return pageOf({ body: codeStep(submission, entered, noticeOf(refusal)), refusal });
    }
    try {
      const joins = chosen !== '';
      const { code: digits, ...named } = data;
      const proof = byCode(digits);
      const { token } = await signIn(context, requestId, { ...named, proof, origin: originOf(submission), joins });
      return onwards(submission, entered, token);
    } catch (error) {
      return await refusedCode(submission, { entered, code, error });
    }
  },
};

/** Answers a code that did not sign in. @throws what is no refusal */
async function refusedCode(
  submission: Submission,
  { entered, code, error }: { entered: Entered; code: string; error: unknown },
): Promise<Page> {
  if (isOf(error, 'OPERATOR_CHOICE_REQUIRED'))
    return pageOf({
      body: choiceStep(
        entered,
        { action: CODE_PATH, name: 'code', value: code },
        Choice.parse(error.extra['operators']),
      ),
    });
  if (isOf(error, 'NOT_FOUND')) {
    const refusal = new CarnetError('NOT_FOUND', 'You are no member of that operator, and not invited to it.');
    return pageOf({ body: addressStep(submission, { ...entered, operatorId: '' }, noticeOf(refusal)), refusal });
  }
  if (isOf(error, 'CODE_EXPIRED')) {
    const session = await submission.session();
    if (session !== null) {
      if (isWhatWasEntered(session, entered)) return onwards(submission, entered);
      const notice = html`${noticeOf(error)}\n${signedInAs(session)}`;
      return pageOf({ body: codeStep(submission, entered, notice), refusal: error });
    }
  }
  if (!isRefusal(error)) throw error;
  return pageOf({ body: codeStep(submission, entered, noticeOf(error)), refusal: error });
}

/** The form may have been sent twice, and its first time has signed this person in, at the operator that it names. */
const isWhatWasEntered = ({ member, operator }: DashboardSession, { email, operatorId }: Entered): boolean =>
  member.email.toLowerCase() === email.toLowerCase() && (operatorId === '' || operatorId === operator.id);

export const signOutPage: PeoplePage = {
  operation: 'signOutPage',
  page: async () => redirect(HOME),
  submit: (submission) =>
    bySignedIn(submission, HOME, async (person) => {
      const { context } = submission;
      // The route refuses people of a suspended operator, who may sign out all the same.
      const path = '/v1/dashboard/sessions/current';
      await endCurrentSession(context, callOf(person, { operation: 'signOut', method: 'DELETE', path, body: {} }));
      const cookie = noSessionCookie(context.config.publicBaseUrl);
      return redirect(`${SIGN_IN_PATH}?notice=signed_out`, { 'Set-Cookie': cookie });
    }),
};
