import { joinMember, membershipsOf, type Membership } from '../accounts/index.ts';
import { serviceCaller } from '../commands/caller.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { CarnetError, notFound } from '../errors/carnet-error.ts';
import { askerOf, type Origin } from './asker.ts';
import { proveAddress, type Proof } from './prove-address.ts';
import { useUpCode } from './queries.ts';
import type { DashboardSession } from './schema.ts';
import { callerOf, newSession, startSession } from './start-session.ts';

interface Entered {
  email: string;
  operator_id?: string | undefined;
  proof: Proof;
  origin: Origin;
  /** Whether naming an operator accepts its invitation; otherwise it is to be chosen. */
  joins: boolean;
}

/**
 * Opens a dashboard session for the right code, always under a new token, which is in the answer alone. The sessions of the cookies that
 * came along end: the new cookie takes their place.
 * @throws CarnetError INVALID_CODE and CODE_EXPIRED with `verified: false`; OPERATOR_CHOICE_REQUIRED with `operators`; NOT_FOUND for
 *   an operator that is not this person's; OPERATOR_SUSPENDED. The last three do not use the code up. RATE_LIMITED after too many wrong
 *   codes of a day from browsers that have requested none. As the proof refuses.
 */
export async function signIn(
  context: Context,
  requestId: string,
  { email, proof, operator_id: operatorId, origin, joins }: Entered,
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const memberships = await membershipsOf(context.pool, email);
  const chosen = chooseMembership(memberships, { operatorId, joins });
  const session = newSession();
  const caller = chosen instanceof CarnetError ? serviceCaller : callerOf(chosen, session.id);
  const call = serviceCall({ operation: 'signIn', requestId, caller });
  const answered = await runCommand<DashboardSession>(context, call, async (unit) => {
    const asker = askerOf(context, email, origin);
    const isKnown = memberships.length > 0;
    const proved = await proveAddress(context, unit.connection, { asker, email, requestId, proof, isKnown });
    if (proved instanceof CarnetError) return { refusal: proved };
    if (chosen instanceof CarnetError) throw chosen;
    await useUpCode(unit.connection, proved, asker.browsers);
    if (await joinMember(unit.connection, chosen.id))
      await unit.audit('member.joined', chosen.id, { role: chosen.role });
    const { cookies } = origin;
    const body = await startSession(context, unit, { session, membership: chosen, cookies, requestId });
    return { status: 200, body };
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
