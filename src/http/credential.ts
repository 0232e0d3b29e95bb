import type { Caller, PassportBearer } from '../caller.ts';

/** What a valid credential says about the one who showed it. */
export interface Credential {
  caller: Caller | PassportBearer;
  /** Its operator is suspended: 403 OPERATOR_SUSPENDED everywhere. */
  suspended: boolean;
  /** Its agent is blocked: 403 AGENT_BLOCKED on everything that changes something. */
  blocked: boolean;
  /** How long this may be remembered, milliseconds. */
  validForMs: number;
}

/** Knows one kind of credential by its shape. The kinds are asked in order; the first that answers decides. */
export interface Authenticator {
  /** @returns undefined where the token is not of this kind, null where it is but not a valid one */
  authenticate(token: string): Promise<Credential | null> | undefined;
}
