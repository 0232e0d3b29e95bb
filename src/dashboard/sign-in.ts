import { hash, randomBytes } from 'node:crypto';
import { joinMember, membershipsOf, type Membership } from '../accounts/index.ts';
import { serviceCaller, type OperatorCaller } from '../commands/caller.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { cookieName, SESSION_COOKIE, SESSION_SECONDS, tokensIn } from '../http/auth/session-cookie.ts';
import { newId, PLATFORM_OPERATOR_ID, type DashboardSessionId, type MemberId, type OperatorId } from '../ids/ids.ts';
import { codeFits, isLive, noLiveCode, wrongCode } from '../one-time-codes/codes.ts';
import { askerOf, type Origin } from './asker.ts';
import {
  countWrongTry,
  endSessions,
  insertSession,
  lockSignInCode,
  useUpCode,
  type Asker,
  type SignInCode,
} from './queries.ts';
import type { DashboardSession, SignIn } from './schema.ts';
import { presentSession } from './sessions.ts';

/** The cookie has the token; only its hash is stored. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

interface Entered extends SignIn {
  origin: Origin;
  /** Whether naming an operator accepts its invitation; otherwise it is to be chosen. */
  joins: boolean;
}

/**
 * Opens a dashboard session for the right code, always under a new token, which is in the answer alone. The sessions of the cookies that
 * came along end: the new cookie takes their place.
 * @throws CarnetError INVALID_CODE and CODE_EXPIRED with `verified: false`; OPERATOR_CHOICE_REQUIRED with `operators`; NOT_FOUND for
 *   an operator that is not this person's; OPERATOR_SUSPENDED. The last three do not use the code up. RATE_LIMITED after too many wrong
 *   codes of a day from browsers that have requested none.
 */
export async function signIn(
  context: Context,
  requestId: string,
  { email, code, operator_id: operatorId, origin, joins }: Entered,
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const memberships = await membershipsOf(context.pool, email);
  const chosen = chooseMembership(memberships, { operatorId, joins });
  const session = { id: newId('dsh'), token: randomBytes(32).toString('base64url') };
  const caller = chosen instanceof CarnetError ? serviceCaller : callerOf(chosen, session.id);
  const call = serviceCall({ operation: 'signIn', requestId, caller });
  const answered = await runCommand<DashboardSession>(context, call, async (unit) => {
    const asker = askerOf(context, email, origin);
    const checked = await checkCode(unit.connection, {
      asker,
      email,
      requestId,
      fits: (storedMac) =>
        codeFits(context.encryption, { purpose: 'sign-in-code', subject: asker.address }, { code, mac: storedMac }) &&
        memberships.length > 0,
    });
    if (checked instanceof CarnetError) return { refusal: checked };
    if (chosen instanceof CarnetError) throw chosen;
    const stored = await insertSession(unit.connection, {
      id: session.id,
      tokenHash: tokenHash(session.token),
      memberId: chosen.id,
      seconds: SESSION_SECONDS,
    });
    assertThat(stored, () => notFound('member'));
    const earlier = tokensIn(origin.cookies, cookieName(SESSION_COOKIE, context.config.publicBaseUrl)).map(tokenHash);
    unit.changed(...(await endSessions(unit.connection, earlier, requestId)));
    await useUpCode(unit.connection, checked, asker.browsers);
    if (await joinMember(unit.connection, chosen.id))
      await unit.audit('member.joined', chosen.id, { role: chosen.role });
    await unit.audit('dashboard_session.started', stored.id, { role: chosen.role });
    return { status: 200, body: presentSession(stored, chosen) };
  });
  return { answered, token: session.token };
}

/**
 * The membership to sign in with, or why there is none; the caller answers that only to somebody who has the code. An
 * invitation is accepted by naming its operator: nobody is made a member of a stranger's operator, nor asked to choose
 * among such, by having been invited. Only who is a member of none is shown what they are invited to, and who names an
 * operator without joining it by that is shown its invitation beside what they are a member of.
 */
function chooseMembership(
  memberships: readonly Membership[],
  { operatorId, joins }: { operatorId: string | undefined; joins: boolean },
): Membership | CarnetError {
  const isMember = memberships.some(({ joined }) => joined);
  const offered = memberships.filter((one) => one.joined || !isMember || one.operator_id === operatorId);
  const named = offered.filter((one) => operatorId === undefined || one.operator_id === operatorId);
  const [first, ...others] = named.filter(({ suspended }) => !suspended);
  if (first === undefined) {
    return named.length === 0
      ? notFound('operator')
      : new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; ask the platform to activate it again.');
  }
  if (others.length === 0 && (first.joined || (joins && operatorId !== undefined))) return first;
  return new CarnetError(
    'OPERATOR_CHOICE_REQUIRED',
    isMember
      ? 'You are a member of several operators: repeat the call with the operator_id of one of them.'
      : 'You are invited to work for these operators: repeat the call with the operator_id of the one to join.',
    {
      extra: {
        operators: offered
          .filter(({ suspended }) => !suspended)
          .map((one) => ({
            id: one.operator_id,
            name: one.operator_name,
            role: one.role,
            status: one.joined ? 'joined' : 'invited',
          })),
      },
    },
  );
}

interface Try {
  asker: Asker;
  email: string;
  requestId: string;
  fits(storedMac: string): boolean;
}

/**
 * The code where it fits, or its refusal. A wrong try is counted, so the refusal is returned and not thrown: the count
 * must be committed (decision C20).
 */
async function checkCode(
  connection: CommonQueryMethods,
  { asker, email, requestId, fits }: Try,
): Promise<SignInCode | CarnetError> {
  const stored = await lockSignInCode(connection, asker);
  if (!isLive(stored)) return noLiveCode('address');
  if (stored.wait !== null) return tooManyTries(stored.wait);
  if (fits(stored.code)) return stored;
  await countWrongTry(connection, stored, { email, requestId });
  return wrongCode(stored);
}

const tooManyTries = (seconds: number): CarnetError =>
  new CarnetError(
    'RATE_LIMITED',
    'Wrong codes were sent for this address all day. Enter the code in the browser that requested it.',
    { headers: { 'Retry-After': String(seconds) }, extra: { verified: false } },
  );

/** A person who administers the platform may do what its key may; a member of the platform is a member as any other. */
export const callerOf = (
  { id, operator_id, role }: Pick<Membership, 'id' | 'operator_id' | 'role'>,
  sessionId: DashboardSessionId,
): OperatorCaller => ({
  kind: 'operator',
  operatorId: operator_id as OperatorId,
  role,
  platform: operator_id === PLATFORM_OPERATOR_ID && role !== 'member',
  by: { kind: 'session', sessionId, memberId: id as MemberId },
});
