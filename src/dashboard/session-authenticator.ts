import type { Context } from '../context/context.ts';
import type { Authenticator, Credential } from '../http/auth/credential.ts';
import type { DashboardSessionId } from '../ids/ids.ts';
import { findSignedIn } from './queries.ts';
import { callerOf, tokenHash } from './sign-in.ts';

/** People who have signed in, by the token in their cookie: members, as what their role allows. */
export function sessionAuthenticator({ pool }: Pick<Context, 'pool'>): Authenticator {
  const find = async (token: string): Promise<Credential | null> => {
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
  return { authenticate: find };
}
