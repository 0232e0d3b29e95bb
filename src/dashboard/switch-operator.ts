import { membershipsOf, type Membership } from '../accounts/index.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import type { DashboardSession } from './schema.ts';
import { callerOf, newSession, startSession } from './start-session.ts';

/** The other operators that the holder of this session's address works for; invitations are no part of it. */
export async function otherOperators(
  { pool }: Pick<Context, 'pool'>,
  { member, operator }: Pick<DashboardSession, 'member' | 'operator'>,
): Promise<readonly Membership[]> {
  const all = await membershipsOf(pool, member.email);
  return all.filter(({ joined, suspended, operator_id: id }) => joined && !suspended && id !== operator.id);
}

/**
 * Opens a session for another operator of the same address, which the person has proven when they signed in. It takes the place of the one
 * that asks, and ends when that would have ended, so that switching keeps nobody signed in for longer.
 * @throws CarnetError NOT_FOUND where the person is no member of that operator, it is suspended, or the session is over
 */
export async function switchOperator(
  context: Context,
  requestId: string,
  { from, operatorId, cookies }: { from: DashboardSession; operatorId: string; cookies: string | undefined },
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const others = await otherOperators(context, from);
  const membership = others.find(({ operator_id: id }) => id === operatorId);
  assertThat(membership, () => notFound('operator'));
  const session = newSession();
  const call = serviceCall({ operation: 'switchOperator', requestId, caller: callerOf(membership, session.id) });
  const answered = await runCommand<DashboardSession>(context, call, async (unit) => ({
    status: 200,
    body: await startSession(context, unit, {
      session,
      membership,
      cookies,
      requestId,
      inPlaceOf: from.id,
      by: 'switch',
    }),
  }));
  return { answered, token: session.token };
}
