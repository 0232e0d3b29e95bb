import type { Context } from '../../context/context.ts';
import { PASSPORT_CLAIM } from '../token.ts';
import { verifyPassport } from './verify.ts';
import type { Introspection } from './schema.ts';

/** Token introspection (RFC 7662): a passport that counts is shown in full, any other token is only `active: false`. */
export async function introspect(context: Context, token: string): Promise<Introspection> {
  const verdict = await verifyPassport(context, token);
  if (!verdict.valid) return { active: false };
  const { payload, authorityRefs, budget } = verdict;
  const { iss, sub, iat, exp, jti, aud, [PASSPORT_CLAIM]: claims } = payload;
  const scope = [...new Set(claims.services.flatMap(({ scopes }) => scopes))].join(' ');
  return {
    active: true,
    iss,
    sub,
    iat,
    exp,
    jti,
    ...(aud !== undefined && { aud }),
    client_id: sub,
    scope,
    token_type: 'Bearer',
    [PASSPORT_CLAIM]: claims,
    authority_refs: authorityRefs,
    budget,
  };
}
