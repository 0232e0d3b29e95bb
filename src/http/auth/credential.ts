import type { Caller } from '../../commands/caller.ts';
import { CarnetError } from '../../errors/carnet-error.ts';

/** The facts that are known of a caller by their valid credential. */
export interface Credential {
  caller: Caller;
  /** Its operator is suspended: 403 OPERATOR_SUSPENDED everywhere. */
  suspended: boolean;
  /** Its agent is blocked: 403 AGENT_BLOCKED on everything that changes something. */
  blocked: boolean;
  /** How long this may be remembered, milliseconds; 0: every request looks it up. */
  validForMs: number;
}

/** Knows one kind of credential by its shape. The kinds are tried in order; the first that knows it decides. */
export interface Authenticator {
  /**
   * @returns undefined where the token is not of this kind, null where it is but not a valid one
   * @throws CarnetError UNAUTHENTICATED where a reason can be given, as a rejection
   */
  authenticate(token: string): Promise<Credential | null> | undefined;
}

/** The credentials that a service takes; `src/process/credentials.ts` composes them. */
export interface Credentials {
  /** They read the header `Authorization: Bearer …`, in the order they are tried. */
  bearers: readonly Authenticator[];
  /** It reads the cookie that a browser sends where there is no such header. */
  session: Authenticator;
}

/** RFC 6750 §3: no error code where no credential was shown. */
export const unauthenticated = (detail: string, error?: 'invalid_token' | 'invalid_request'): CarnetError =>
  new CarnetError('UNAUTHENTICATED', detail, {
    headers: {
      'WWW-Authenticate': error === undefined ? 'Bearer realm="carnet"' : `Bearer realm="carnet", error="${error}"`,
    },
  });
