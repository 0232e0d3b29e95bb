import type { Answered, CommandCall } from '../../commands/command.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import {
  assertCanHoldPassport,
  assertStillGranted,
  checkpointInterval,
  requireActiveBindings,
  toPassportIdentityClaim,
} from './assemble.ts';
import type { FactsInUse } from './facts.ts';
import { findRootAgent } from '../lists/queries.ts';
import { readParentToken, type ParentToken } from './parent-token.ts';
import type { RefreshBody, SignedPassport } from '../schema.ts';
import { PassportAnswerRow, signPassport } from './sign.ts';

/**
 * Continues a lineage with a new jti: the same agent, scopes and chain, and a new time to live within the session's and
 * the parent's. It is held to what its agent, its lineage and every lineage above are held to by now, whichever is most (decision A60). What was granted at its root is checked again, and every agent that it was delegated from
 * (decision A30).
 * @throws CarnetError INVALID_PASSPORT, NOT_FOUND, PASSPORT_REVOKED, PASSPORT_EXPIRED, ALREADY_CHECKED_OUT,
 *   AGENT_REVIEW_PENDING, OPERATOR_SUSPENDED, AGENT_BLOCKED, INVALID_STATE, AUTHORITY_BINDING_INVALID,
 *   SCOPE_NOT_GRANTED, PASSPORT_TOO_LARGE, INSUFFICIENT_CREDITS, TEMPORARILY_UNAVAILABLE.
 */
export async function refreshPassport(
  context: Context,
  call: CommandCall,
  body: RefreshBody,
): Promise<Answered<SignedPassport>> {
  const from = await readParentToken(context, call, { token: body.token, path: 'token' });
  return await signPassport(context, call, {
    compose: (facts) => composeRefresh(context, from, facts),
    decide: (common, composed) => sql.type(PassportAnswerRow)`
      select * from refresh_passport(${common},
        p_from => ${from instanceof CarnetError ? null : from.jti}, p_from_digest => ${from instanceof CarnetError ? null : from.digest}, p_ttl_seconds => ${Math.floor(body.ttl_seconds)},
        p_session_seconds => ${context.config.sessionMaxSeconds}, p_accountability => ${composed?.accountability ?? null},
        p_interval => ${composed?.interval ?? null})`,
  });
}

async function composeRefresh(context: Context, from: ParentToken | CarnetError, facts: FactsInUse) {
  if (from instanceof CarnetError) throw from;
  const { claims, audience } = from;
  const holder = await facts.of(claims.agent_id);
  assertThat(holder, () => notFound('agent'));
  // A child needs no grants of its own: what it may do was granted to the agent at the root.
  const rootId = claims.delegation_depth === 0 ? null : await findRootAgent(context.pool, from.jti);
  const root = rootId === null ? holder : await facts.of(rootId);
  assertThat(root, () => notFound('agent'));
  assertCanHoldPassport(holder);
  const bindings = requireActiveBindings(
    holder,
    claims.authority_refs.map(({ binding_id: id }) => id),
  );
  assertStillGranted(claims.services, root);
  const valid = new Map(root.identity_claims.map((claim) => [claim.claim_id, claim]));
  const identity = claims.identity_claims.flatMap(({ claim_id: id }) => valid.get(id) ?? []);
  facts.use(...bindings, ...identity);
  const { accountability } = holder.agent;
  return {
    accountability,
    interval: checkpointInterval(holder, accountability),
    audience,
    claims: {
      ...claims,
      identity_claims: identity.map((claim) => toPassportIdentityClaim(claim, claims.operator_id)),
    },
  };
}
