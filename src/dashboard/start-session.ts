import { hash, randomBytes } from 'node:crypto';
import type { Membership } from '../accounts/index.ts';
import type { OperatorCaller } from '../commands/caller.ts';
import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { cookieName, SESSION_COOKIE, SESSION_SECONDS, tokensIn } from '../http/auth/session-cookie.ts';
import { newId, PLATFORM_OPERATOR_ID, type DashboardSessionId, type MemberId, type OperatorId } from '../ids/ids.ts';
import { endSessions, insertSession, insertSessionInPlaceOf } from './queries.ts';
import type { DashboardSession } from './schema.ts';

/** The cookie has the token; only its hash is stored. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

/** A session that is about to begin. */
interface NewSession {
  id: DashboardSessionId;
  /** For the cookie, and for nothing else. */
  token: string;
}

export const newSession = (): NewSession => ({ id: newId('dsh'), token: randomBytes(32).toString('base64url') });

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

interface Start {
  session: NewSession;
  membership: Membership;
  /** The Cookie header. */
  cookies: string | undefined;
  requestId: string;
  /** The session that this one takes the place of, and ends with; absent: of none. */
  inPlaceOf?: string;
  /** How the person signed in, where it was not by a code. */
  by?: 'demo_link' | 'registration' | 'switch';
}

/**
 * Opens a session under a new token. The sessions of the cookies that came along end: the new cookie takes their place.
 * @param unit its caller is this session (`callerOf`)
 * @throws CarnetError NOT_FOUND where the member was deleted meanwhile, or the session is over that it takes the place of
 */
export async function startSession(
  { config }: Pick<Context, 'config'>,
  unit: Unit,
  { session, membership, cookies, requestId, inPlaceOf, by }: Start,
): Promise<DashboardSession> {
  const row = { id: session.id, tokenHash: tokenHash(session.token), memberId: membership.id };
  const stored =
    inPlaceOf === undefined
      ? await insertSession(unit.connection, { ...row, seconds: SESSION_SECONDS })
      : await insertSessionInPlaceOf(unit.connection, { ...row, inPlaceOf });
  assertThat(stored, () => notFound(inPlaceOf === undefined ? 'member' : 'session'));
  const earlier = tokensIn(cookies, cookieName(SESSION_COOKIE, config.publicBaseUrl)).map(tokenHash);
  unit.changed(...(await endSessions(unit.connection, earlier, requestId)));
  await unit.audit('dashboard_session.started', stored.id, { role: membership.role, ...(by !== undefined && { by }) });
  return presentSession(stored, membership);
}

export const presentSession = (
  { id, created_at, expires_at }: Pick<DashboardSession, 'id' | 'created_at' | 'expires_at'>,
  member: Membership,
): DashboardSession => ({
  id,
  member: { id: member.id, email: member.email, role: member.role },
  operator: { id: member.operator_id, name: member.operator_name },
  created_at,
  expires_at,
});
