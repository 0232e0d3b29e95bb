import type { Context } from '../../context/context.ts';
import { claimedIssuer } from '../../http/auth/claimed-issuer.ts';
import { unauthenticated, type Authenticator, type Credential } from '../../http/auth/credential.ts';
import type { AgentId, OperatorId, PassportId } from '../../ids/ids.ts';
import { whyNoInvoking } from '../budgets/queries.ts';
import { PASSPORT_CLAIM } from '../token.ts';
import { verifyPassport } from './verify.ts';

/**
 * Passports of this service as bearer credentials. They are never cached: a revocation that was acknowledged applies to
 * the next request. One with an audience is meant for the services in it, and a service that it was shown to must not act with it here: the audience must be
 * this service alone. Only such a passport may invoke, which no service was shown.
 */
export function passportAuthenticator(context: Context): Authenticator {
  const find = async (token: string): Promise<Credential> => {
    const verdict = await verifyPassport(context, token);
    if (!verdict.valid)
      throw unauthenticated(`This passport does not verify: ${verdict.reason.replaceAll('_', ' ')}.`, 'invalid_token');
    const { jti, aud, [PASSPORT_CLAIM]: claims } = verdict.payload;
    const forUsAlone = aud?.length === 1 && aud[0] === context.config.publicBaseUrl;
    if (aud !== undefined && !forUsAlone)
      throw unauthenticated(
        'This passport has an audience, and only the services in it accept it; send one for this service alone, or without an audience.',
        'invalid_token',
      );
    const { operator_id: operatorId, agent_id: agentId } = claims;
    return {
      caller: {
        kind: 'passport',
        operatorId: operatorId as OperatorId,
        agentId: agentId as AgentId,
        jti: jti as PassportId,
        mayNotInvoke: await whyNot({ operatorId, agentId }, { forUsAlone, hasBudget: verdict.budget !== null }),
      },
      // Suspending an operator revokes its passports, and those of a blocked agent stay valid (decision A30).
      suspended: false,
      blocked: false,
      validForMs: 0,
    };
  };
  const whyNot = async (
    holder: { operatorId: string; agentId: string },
    { forUsAlone, hasBudget }: { forUsAlone: boolean; hasBudget: boolean },
  ): Promise<string | null> => {
    if (!forUsAlone) return `Its audience must be ${context.config.publicBaseUrl} and nothing else.`;
    return hasBudget ? await whyNoInvoking(context.pool, holder) : 'Neither it nor a passport above has a budget.';
  };
  return { authenticate: (token) => (claimedIssuer(token) === context.config.publicBaseUrl ? find(token) : undefined) };
}
