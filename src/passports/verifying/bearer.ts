import type { Context } from '../../context/context.ts';
import { claimedIssuer } from '../../http/auth/claimed-issuer.ts';
import { unauthenticated, type Authenticator, type Credential } from '../../http/auth/credential.ts';
import type { AgentId, OperatorId, PassportId } from '../../ids/ids.ts';
import { PASSPORT_CLAIM } from '../token.ts';
import { verifyPassport } from './verify.ts';

/**
 * Passports of this service as bearer credentials. They are never cached: a revocation that was acknowledged applies to
 * the next request. One with an audience is meant for the services in it, and a service that it was shown to must not act with it here.
 */
export function passportAuthenticator(context: Context): Authenticator {
  const find = async (token: string): Promise<Credential> => {
    const verdict = await verifyPassport(context, token);
    if (!verdict.valid)
      throw unauthenticated(`This passport does not verify: ${verdict.reason.replaceAll('_', ' ')}.`, 'invalid_token');
    const { jti, aud, [PASSPORT_CLAIM]: claims } = verdict.payload;
    if (aud !== undefined)
      throw unauthenticated(
        'This passport has an audience, and only the services in it accept it; send one without an audience.',
        'invalid_token',
      );
    return {
      caller: {
        kind: 'passport',
        operatorId: claims.operator_id as OperatorId,
        agentId: claims.agent_id as AgentId,
        jti: jti as PassportId,
      },
      // Suspending an operator revokes its passports, and those of a blocked agent stay valid (decision A30).
      suspended: false,
      blocked: false,
      validForMs: 0,
    };
  };
  return { authenticate: (token) => (claimedIssuer(token) === context.config.publicBaseUrl ? find(token) : undefined) };
}
