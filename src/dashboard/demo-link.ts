import { hash, timingSafeEqual } from 'node:crypto';
import { findDemoOwner } from '../accounts/index.ts';
import type { Answered } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { serviceCall } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { DashboardSession } from './schema.ts';
import { callerOf, newSession, startSession } from './start-session.ts';

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));

/** Which demo operator a token of the terminal is of; null: of none, or its time is over. */
export function demoOperatorOf({ config: { demoLinks } }: Pick<Context, 'config'>, token: string) {
  if (demoLinks === undefined || Date.now() >= demoLinks.until) return null;
  const { publisher, consumer } = demoLinks.tokens;
  if (isSame(publisher, token)) return 'publisher';
  return isSame(consumer, token) ? 'consumer' : null;
}

/** @throws CarnetError NOT_FOUND where the demo operator has no owner whom the link could be of */
export async function signInByDemoLink(
  context: Context,
  requestId: string,
  { which, cookies }: { which: 'publisher' | 'consumer'; cookies: string | undefined },
): Promise<{ answered: Answered<DashboardSession>; token: string }> {
  const membership = await findDemoOwner(context.pool, which);
  if (membership === null)
    throw new CarnetError('NOT_FOUND', 'The demo operator has been changed or suspended. Sign in with a code.');
  const session = newSession();
  const call = serviceCall({ operation: 'signInByDemoLink', requestId, caller: callerOf(membership, session.id) });
  const answered = await runCommand<DashboardSession>(context, call, async (unit) => ({
    status: 200,
    body: await startSession(context, unit, { session, membership, cookies, requestId, by: 'demo_link' }),
  }));
  return { answered, token: session.token };
}
