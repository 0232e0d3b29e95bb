import type { CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError, notFound } from '../../errors/carnet-error.ts';
import { PASSPORT_CLAIM, type PassportClaims } from '../token.ts';
import { verifySignature } from '../verifying/verify.ts';

export interface ParentToken {
  jti: string;
  claims: PassportClaims;
}

/**
 * The passport that another one is to come of; whether it still counts is Postgres' to say (decisions A15). A refusal is given and
 * not thrown, since an Idempotency-Key goes before it.
 * @returns CarnetError INVALID_PASSPORT with `reason`, NOT_FOUND for another operator's
 */
export async function parentToken(
  context: Context,
  { caller }: CommandCall,
  token: string,
  path: string,
): Promise<ParentToken | CarnetError> {
  const verdict = await verifySignature(context, token);
  if ('reason' in verdict) {
    return new CarnetError('INVALID_PASSPORT', `${path}: the token does not verify (${verdict.reason}).`, {
      extra: { reason: verdict.reason },
      errors: [{ path, code: verdict.reason, message: 'does not verify' }],
    });
  }
  const { jti, [PASSPORT_CLAIM]: claims } = verdict.payload;
  return claims.operator_id === caller.operatorId ? { jti, claims } : notFound('passport');
}
