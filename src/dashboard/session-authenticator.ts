import type { Context } from '../context/context.ts';
import type { Authenticator, Credential } from '../http/auth/credential.ts';
import type { DashboardSessionId } from '../ids/ids.ts';
import { findSignedIn } from './queries.ts';
import { callerOf, tokenHash } from './start-session.ts';

/** Authenticates people who have signed in by the token in their cookie, with the role of their membership. */
export function sessionAuthenticator({ pool }: Pick<Context, 'pool'>): Authenticator {
  const authenticate = async (token: string): Promise<Credential | null> => {
    const row = await findSignedIn(pool, tokenHash(token));
    if (row === null) return null;
    const { id, member_id, operator_id, role, suspended, valid_for_ms: validForMs } = row;
    return {
      caller: callerOf({ id: member_id, operator_id, role }, id as DashboardSessionId),
      suspended,
      blocked: false,
      validForMs,
    };
  };
  return { authenticate };
}
