import { findMembership, type Membership } from '../accounts/index.ts';
import type { Caller, OperatorCredential } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { deleteSession, findSession } from './queries.ts';
import type { DashboardSession } from './schema.ts';

/** @throws CarnetError DASHBOARD_SESSION_REQUIRED for a key or token. */
function sessionOf(caller: Caller): Extract<OperatorCredential, { kind: 'session' }> {
  if (caller.kind === 'operator' && caller.by.kind === 'session') return caller.by;
  throw new CarnetError(
    'DASHBOARD_SESSION_REQUIRED',
    'This call is about the dashboard session that makes it; keys and tokens have none.',
  );
}

/** Who is signed in. @throws CarnetError DASHBOARD_SESSION_REQUIRED; NOT_FOUND where the session ended meanwhile. */
export async function currentSession({ pool }: Context, caller: Caller): Promise<DashboardSession> {
  const { sessionId, memberId } = sessionOf(caller);
  const [stored, member] = await Promise.all([findSession(pool, sessionId), findMembership(pool, memberId)]);
  assertThat(stored !== null && member !== null, () => notFound('session'));
  return presentSession(stored, member);
}

/** Signs out. @throws CarnetError DASHBOARD_SESSION_REQUIRED */
export const endCurrentSession = (context: Context, call: CommandCall): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { sessionId } = sessionOf(call.caller);
    await deleteSession(unit.connection, sessionId);
    await unit.audit('dashboard_session.ended', sessionId);
    unit.changed(sessionId);
    return { status: 200, body: { deleted: true } };
  });

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
