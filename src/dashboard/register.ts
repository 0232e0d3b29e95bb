import { countFreeOperators, createOperator, membershipsOf, type RegisterOperator } from '../accounts/index.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { askerOf, type Origin } from './asker.ts';
import { byCode, proveAddress } from './prove-address.ts';
import { useUpCode } from './queries.ts';
import type { DashboardSession } from './schema.ts';
import { callerOf, newSession, startSession } from './start-session.ts';

/**
 * Makes an operator of tier free for who has proven the address by its code, and signs them in as its owner. An address may own several.
 * @throws CarnetError INVALID_CODE and CODE_EXPIRED, and CONFLICT where the address owns as many free ones as it may, after which nothing is made; RATE_LIMITED after too many wrong codes
 */
export async function registerByCode(
  context: Context,
  requestId: string,
  { name, email, code, origin }: RegisterOperator & { code: string; origin: Origin },
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const register = serviceCall({ operation: 'registerInBrowser', requestId });
  const registered = await runCommand<{ operatorId: string }>(context, register, async (unit) => {
    const asker = askerOf(context, email, origin);
    const sent = { asker, email, requestId, proof: byCode(code), isKnown: true };
    const proved = await proveAddress(context, unit.connection, sent);
    if (proved instanceof CarnetError) return { refusal: proved };
    const most = context.config.freeOperatorsPerAddress;
    if ((await countFreeOperators(unit.connection, email, most)) >= most) return { refusal: tooMany(most) };
    await useUpCode(unit.connection, proved, asker.browsers);
    const operator = await createOperator(unit, { name, email, tier: 'free' });
    return { status: 201, body: { operatorId: operator.id } };
  });
  const { operatorId } = registered.body;
  const owned = await membershipsOf(context.pool, email);
  const membership = owned.find(({ operator_id: id }) => id === operatorId);
  assertThat(membership, () => notFound('member'));
  const session = newSession();
  const start = serviceCall({ operation: 'signIn', requestId, caller: callerOf(membership, session.id) });
  const answered = await runCommand<DashboardSession>(context, start, async (unit) => ({
    status: 200,
    body: await startSession(context, unit, {
      session,
      membership,
      cookies: origin.cookies,
      requestId,
      by: 'registration',
    }),
  }));
  return { answered, token: session.token };
}

/** Only who has proven the address learns this. */
const tooMany = (most: number): CarnetError =>
  new CarnetError(
    'CONFLICT',
    `This address owns ${most} operators of the tier free, and no address may register more. Sign in, and subscribe with one of them; or have an owner of it be somebody else.`,
  );
