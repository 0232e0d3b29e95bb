import type { CommandCall } from '../../commands/command.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError, notFound } from '../../errors/carnet-error.ts';
import { PASSPORT_CLAIM, type ComposedClaims } from '../token.ts';
import { verifySignature } from '../verifying/verify.ts';

export interface ParentToken {
  jti: string;
  /** Without what it is held to: its lineage, and any above, may be held to more by now than an older token of it says. */
  claims: ComposedClaims;
  /** Ids of services; undefined: it has none. */
  audience: string[] | undefined;
  /** SHA-256 of its payload in base64: it counts only where the row of its jti has the same. */
  digest: string;
}

/**
 * Reads the passport that is delegated or refreshed, and checks its signature; the SQL function decides whether it
 * still counts. An error is returned and not thrown: first the Idempotency-Key is looked up, which may hold an answer.
 * @returns also CarnetError INVALID_PASSPORT with `reason`, or NOT_FOUND for another operator's
 */
export async function readParentToken(
  context: Context,
  { caller }: CommandCall,
  { token, path }: { token: string; path: string },
): Promise<ParentToken | CarnetError> {
  const verdict = await verifySignature(context, token);
  if ('reason' in verdict) {
    return new CarnetError('INVALID_PASSPORT', `${path}: the token does not verify (${verdict.reason}).`, {
      extra: { reason: verdict.reason },
      errors: [{ path, code: verdict.reason, message: 'does not verify' }],
    });
  }
  const { digest, payload } = verdict;
  const { jti, aud: audience, [PASSPORT_CLAIM]: signed } = payload;
  const { accountability: _mode, checkpoint_interval: _interval, ...claims } = signed;
  return claims.operator_id === caller.operatorId ? { jti, claims, audience, digest } : notFound('passport');
}
