import { hash, randomBytes } from 'node:crypto';
import { membershipsOf, type Membership } from '../accounts/index.ts';
import { serviceCaller, type OperatorCaller } from '../commands/caller.ts';
import { runCommand, type Answered, type CommandCall } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { SESSION_SECONDS } from '../http/auth/session-cookie.ts';
import { newId, type DashboardSessionId, type MemberId, type OperatorId } from '../ids/ids.ts';
import { addressMac, codeFits } from './codes.ts';
import { countWrongTry, insertSession, lockSignInCode, useUpCode } from './queries.ts';
import type { DashboardSession, SignIn } from './schema.ts';
import { shown } from './sessions.ts';

/** Wrong ones after which a code is dead (decisions N2). */
const MOST_TRIES = 5;

/** What the cookie holds; only its hash is kept. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

/**
 * Opens a dashboard session for the right code, always under a new token, which is in the answer and nowhere else.
 * @throws CarnetError INVALID_CODE and CODE_EXPIRED with `verified: false`; OPERATOR_CHOICE_REQUIRED with `operators`; NOT_FOUND for
 *   an operator that is not this person's; OPERATOR_SUSPENDED. The last three do not use the code up.
 */
export async function signIn(
  context: Context,
  requestId: string,
  { email, code, operator_id: operatorId }: SignIn,
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const memberships = await membershipsOf(context.pool, email);
  const chosen = choose(memberships, operatorId);
  const session = { id: newId('dsh'), token: randomBytes(32).toString('base64url') };
  const call: CommandCall = {
    caller: chosen instanceof CarnetError ? serviceCaller : callerOf(chosen, session.id),
    operation: 'signIn',
    idempotency: null,
    requestId,
    request: null,
  };
  const answered = await runCommand<DashboardSession>(context, call, async (unit) => {
    const address = addressMac(context.encryption, email);
    const refusal = await judge(
      unit.connection,
      address,
      (kept) => codeFits(context.encryption, address, code, kept) && memberships.length > 0,
    );
    if (refusal !== null) return { refusal };
    if (chosen instanceof CarnetError) throw chosen;
    const stored = await insertSession(unit.connection, {
      id: session.id,
      tokenHash: tokenHash(session.token),
      memberId: chosen.id,
      seconds: SESSION_SECONDS,
    });
    assertThat(stored, () => notFound('member'));
    await useUpCode(unit.connection, address);
    await unit.audit('dashboard_session.started', stored.id, { role: chosen.role });
    return { status: 200, body: shown(stored, chosen) };
  });
  return { answered, token: session.token };
}

/** Whom a person signs in as, or why that cannot be said; told only to somebody who has the code. */
function choose(memberships: readonly Membership[], operatorId: string | undefined): Membership | CarnetError {
  const named = memberships.filter((one) => operatorId === undefined || one.operator_id === operatorId);
  const [first, ...others] = named.filter(({ suspended }) => !suspended);
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    return new CarnetError(
      'OPERATOR_CHOICE_REQUIRED',
      'You work for several operators: send the same again with the operator_id of one of them.',
      {
        extra: {
          operators: [first, ...others].map((one) => ({
            id: one.operator_id,
            name: one.operator_name,
            role: one.role,
          })),
        },
      },
    );
  }
  if (named.length === 0) return notFound('operator');
  return new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; ask the platform to activate it again.');
}

/** What is wrong with a code; null where it fits. A wrong one is counted, and the count outlives the refusal (decisions C11). */
async function judge(
  connection: CommonQueryMethods,
  address: string,
  fits: (kept: string) => boolean,
): Promise<CarnetError | null> {
  const kept = await lockSignInCode(connection, address);
  if (kept === null || kept.code === null || !kept.live || kept.tries >= MOST_TRIES) {
    return new CarnetError(
      'CODE_EXPIRED',
      'There is no code for this address any more: it is too old, was used, or was tried too often. Ask for a new one.',
      { extra: { verified: false } },
    );
  }
  if (fits(kept.code)) return null;
  await countWrongTry(connection, address);
  const left = MOST_TRIES - kept.tries - 1;
  return new CarnetError(
    'INVALID_CODE',
    left === 0
      ? 'That is not the code, and it was the last try; ask for a new one.'
      : `That is not the code; tries left: ${left}.`,
    { extra: { verified: false, tries_left: left } },
  );
}

export const callerOf = (
  { id, operator_id, role }: Pick<Membership, 'id' | 'operator_id' | 'role'>,
  sessionId: DashboardSessionId,
): OperatorCaller => ({
  kind: 'operator',
  operatorId: operator_id as OperatorId,
  role,
  platform: false,
  by: { kind: 'session', sessionId, memberId: id as MemberId },
});
