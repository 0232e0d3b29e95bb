import { z } from 'zod';
import { DeletedSchema } from '../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { noSessionCookie, sessionCookie } from '../http/auth/session-cookie.ts';
import { SEND_CODE, SIGN_IN } from './limits.ts';
import {
  RequestCodeSchema,
  CodeSentSchema,
  DashboardSessionSchema,
  OwnSessionSchema,
  SessionsEndedSchema,
  SignInSchema,
} from './schema.ts';
import { byCode } from './prove-address.ts';
import { sendSignInCode } from './send-code.ts';
import { currentSession, endCurrentSession, endOtherSessions, endSession, pageOfSessions } from './sessions.ts';
import { signIn } from './sign-in.ts';

const tag = 'dashboard';

const postSession = route({
  method: 'post',
  path: '/v1/dashboard/sessions',
  ...SEND_CODE,
  tag,
  summary: 'Mail a one-time code to sign in with',
  description:
    'The answer is the same whether the address is a member of an operator or not. ' +
    'A code can be sent every 30 seconds, and five times within the lifetime of one; to browsers that have not signed in with the address ' +
    'before, ten times a day of one network and twenty times in all. The cookie carnet_sign_in names the request: with it nobody else can ' +
    'use up the tries.',
  audience: 'public',
  body: RequestCodeSchema,
  example: { email: 'ada@example.com' },
  status: 202,
  reply: CodeSentSchema,
  refusals: ['RATE_LIMITED'],
  handler: async ({ context, requestId, body, header, network }) => {
    const origin = { cookies: header('cookie'), network };
    const { answered, cookie } = await sendSignInCode(context, requestId, { ...body, origin });
    return { ...answered, headers: { 'Set-Cookie': cookie } };
  },
});

const postVerify = route({
  method: 'post',
  path: '/v1/dashboard/sessions/verify',
  ...SIGN_IN,
  tag,
  summary: 'Sign in with the code of the mail',
  description:
    'Sets the cookie carnet_session (behind https `__Host-carnet_session`) for 12 hours. Requests that change something by it need the header Origin, which ' +
    'browsers send. After five wrong codes the right one is refused, too; those of other browsers count apart.',
  audience: 'public',
  body: SignInSchema,
  example: { email: 'ada@example.com', code: '123456' },
  status: 200,
  reply: DashboardSessionSchema,
  refusals: ['INVALID_CODE', 'CODE_EXPIRED', 'OPERATOR_CHOICE_REQUIRED', 'NOT_FOUND', 'OPERATOR_SUSPENDED'],
  handler: async ({ context, requestId, body, header, network }) => {
    const origin = { cookies: header('cookie'), network };
    const { code, ...named } = body;
    const proof = byCode(code);
    const { answered, token } = await signIn(context, requestId, { ...named, proof, origin, joins: true });
    return { ...answered, headers: { 'Set-Cookie': sessionCookie(token, context.config.publicBaseUrl) } };
  },
});

const getCurrent = route({
  method: 'get',
  path: '/v1/dashboard/sessions/current',
  operation: 'getCurrentSession',
  tag,
  summary: 'Show who is signed in',
  description: 'The person, their operator and role, and when the session ends.',
  audience: 'operator',
  status: 200,
  reply: DashboardSessionSchema,
  refusals: ['DASHBOARD_SESSION_REQUIRED', 'NOT_FOUND'],
  handler: async ({ context, caller }) => ({ status: 200, body: await currentSession(context, caller) }),
});

const deleteCurrent = route({
  method: 'delete',
  path: '/v1/dashboard/sessions/current',
  operation: 'signOut',
  tag,
  summary: 'Sign out',
  description: 'The cookie opens nothing from the answer on.',
  audience: 'operator',
  status: 200,
  reply: DeletedSchema,
  refusals: ['DASHBOARD_SESSION_REQUIRED'],
  handler: async ({ context, call }) => ({
    ...(await endCurrentSession(context, call)),
    headers: { 'Set-Cookie': noSessionCookie(context.config.publicBaseUrl) },
  }),
});

export const ownSessions = route({
  method: 'get',
  path: '/v1/dashboard/sessions',
  operation: 'listSessions',
  tag,
  summary: 'List where you are signed in, newest first',
  description: 'The sessions of the person that asks, for this operator, that have not ended.',
  audience: 'operator',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('sessions', OwnSessionSchema),
  refusals: ['DASHBOARD_SESSION_REQUIRED'],
  handler: async ({ context, caller, query }) =>
    offsetAnswer('sessions', { ...(await pageOfSessions(context, caller, query)), query }),
});

export const endOwnSession = route({
  method: 'delete',
  path: '/v1/dashboard/sessions/:id',
  operation: 'endSession',
  tag,
  summary: 'End one of your sessions',
  description:
    'Its cookie opens nothing from the answer on. A session of another person is 404, as one that does not exist.',
  audience: 'operator',
  params: z.object({ id: z.string() }),
  status: 200,
  reply: DeletedSchema,
  refusals: ['DASHBOARD_SESSION_REQUIRED'],
  handler: ({ context, call, params: { id } }) => endSession(context, call, id),
});

export const endOwnOthers = route({
  method: 'delete',
  path: '/v1/dashboard/sessions',
  operation: 'endOtherSessions',
  tag,
  summary: 'End all of your sessions but the one that asks',
  description: 'Where a person works for several operators, it is about the operator of the session that asks.',
  audience: 'operator',
  status: 200,
  reply: SessionsEndedSchema,
  refusals: ['DASHBOARD_SESSION_REQUIRED'],
  handler: ({ context, call }) => endOtherSessions(context, call),
});

export const dashboardRoutes: AnyRoute[] = [
  postSession,
  postVerify,
  ownSessions,
  getCurrent,
  deleteCurrent,
  endOwnSession,
  endOwnOthers,
];
