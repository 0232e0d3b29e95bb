import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { textArray } from '../../database/columns.ts';
import { translateDatabaseError } from '../../database/errors.ts';
import { sql } from '../../database/pool.ts';
import { findBudget, type PassportBudget } from '../budgets/queries.ts';
import { liveState, type LiveState } from './live-state.ts';
import { signingKeys } from '../keys/signing-keys.ts';
import { PASSPORT_CLAIM, type AuthorityRef, type PassportPayload } from '../token.ts';
import { verifyToken, type SignedToken, type TokenFault, type TokenVerdict } from './verify-token.ts';

/** Why a passport is refused; the first that applies, in this order (decision A17). */
export const InvalidReasons = [
  'malformed',
  'unknown_key',
  'bad_signature',
  'revoked',
  'ancestor_revoked',
  'expired',
  'wrong_audience',
  'service_not_in_scope',
] as const;
type InvalidReason = (typeof InvalidReasons)[number];

/** An authority binding of a passport, and whether it still counts. */
type LiveAuthorityRef = AuthorityRef & { active: boolean };

export type PassportVerdict =
  | { valid: true; payload: PassportPayload; authorityRefs: LiveAuthorityRef[]; budget: PassportBudget | null }
  | { valid: false; reason: InvalidReason };

/**
 * Checks form, key and signature of a token with the keys of this service. Where this process does not know the key,
 * the keys are read again once. Time and revocation are not checked.
 */
export async function verifySignature(context: Context, token: string): Promise<TokenVerdict> {
  const keys = signingKeys(context);
  const { publicBaseUrl } = context.config;
  const verdict = await verifyToken(token, { keys: keys.fresh ?? (await keys.ring()), issuer: publicBaseUrl });
  if (!('reason' in verdict) || verdict.reason !== 'unknown_key') return verdict;
  return await verifyToken(token, { keys: await keys.reread(), issuer: publicBaseUrl });
}

/**
 * Whether a passport counts now: signature, revocation and expiry, by Postgres' clock and without leeway, and whether
 * it is for a service: has scopes for it, and an audience with it or none. Nothing is cached: a revocation acknowledged before this call is seen.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE where the database does not answer: nothing is valid unchecked.
 */
export async function verifyPassport(context: Context, token: string, serviceId?: string): Promise<PassportVerdict> {
  try {
    const verdict = await verifySignature(context, token);
    if ('reason' in verdict) return { valid: false, reason: verdict.reason };
    const { payload, kid } = verdict;
    const live = await liveState(context, { jti: payload.jti, kid });
    const reason = stateFault(verdict, live) ?? scopeFault(payload, serviceId);
    if (reason !== null) return { valid: false, reason };
    const budget = await findBudget(context.pool, live.budgets);
    return { valid: true, payload, authorityRefs: await liveAuthorityRefs(context, payload), budget };
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

/**
 * Says what is wrong by the row, which decides: a token that our key signed without a row of this very payload was never issued,
 * no matter who has the key.
 */
function stateFault({ payload, digest }: SignedToken, live: LiveState): TokenFault | InvalidReason | null {
  if (payload.iat > live.now || (payload.nbf ?? 0) > live.now) return 'malformed';
  if (live.withdrawn) return 'unknown_key';
  if (!live.exists || live.payload_digest !== digest) return 'revoked';
  if (live.revoked) return live.by_ancestor ? 'ancestor_revoked' : 'revoked';
  return Math.min(payload.exp, live.expires_at ?? 0) <= live.now ? 'expired' : null;
}

function scopeFault(payload: PassportPayload, serviceId: string | undefined): InvalidReason | null {
  if (serviceId === undefined) return null;
  const {
    aud,
    [PASSPORT_CLAIM]: { services },
  } = payload;
  if (aud !== undefined && !aud.includes(serviceId)) return 'wrong_audience';
  const within = services.some(({ service_id, scopes }) => service_id === serviceId && scopes.length > 0);
  return within ? null : 'service_not_in_scope';
}

const ActiveRow = z.object({ active: z.array(z.string()) });

async function liveAuthorityRefs(context: Context, payload: PassportPayload): Promise<LiveAuthorityRef[]> {
  const { authority_refs: refs, agent_id: agentId } = payload[PASSPORT_CLAIM];
  if (refs.length === 0) return [];
  const ids = textArray(refs.map(({ binding_id }) => binding_id));
  const { active } = await context.pool.one(
    sql.type(ActiveRow)`select authority_bindings_active(${ids}, ${agentId}) as active`,
  );
  return refs.map((ref) => ({ ...ref, active: active.includes(ref.binding_id) }));
}
