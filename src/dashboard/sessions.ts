import { findMembership } from '../accounts/index.ts';
import type { Caller, OperatorCredential } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import {
  countSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionOf,
  findSession,
  listSessions,
} from './queries.ts';
import type { DashboardSession, OwnSession } from './schema.ts';
import { presentSession } from './start-session.ts';

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

/** The person's own sessions for this operator that have not ended, newest first. @throws CarnetError DASHBOARD_SESSION_REQUIRED */
export async function pageOfSessions(
  { pool }: Context,
  caller: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: OwnSession[]; total: number }> {
  const { sessionId, memberId } = sessionOf(caller);
  const [items, total] = await Promise.all([
    listSessions(pool, { memberId, current: sessionId, limit, offset }),
    countSessions(pool, memberId),
  ]);
  return { items: [...items], total };
}

/** Ends a session of the same person. @throws CarnetError DASHBOARD_SESSION_REQUIRED; NOT_FOUND where it is another's, or is over */
export const endSession = (context: Context, call: CommandCall, id: string): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { memberId } = sessionOf(call.caller);
    assertThat(await deleteSessionOf(unit.connection, { memberId, id }), () => notFound('session'));
    await unit.audit('dashboard_session.ended', id);
    unit.changed(id);
    return { status: 200, body: { deleted: true } };
  });

/** Ends all other sessions of the same person for this operator. @throws CarnetError DASHBOARD_SESSION_REQUIRED */
export const endOtherSessions = (context: Context, call: CommandCall): Promise<Answered<{ ended: number }>> =>
  runCommand(context, call, async (unit) => {
    const { sessionId, memberId } = sessionOf(call.caller);
    const ended = await deleteOtherSessions(unit.connection, { memberId, current: sessionId });
    for (const id of ended) await unit.audit('dashboard_session.ended', id);
    unit.changed(...ended);
    return { status: 200, body: { ended: ended.length } };
  });
