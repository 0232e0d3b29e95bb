import { assertPatterns } from '../../authority/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { assertCanHoldPassport, checkpointInterval, requireActiveBindings, strongerMode } from './assemble.ts';
import { constraintsOf, intentsOf } from './constraints.ts';
import type { FactsInUse } from './facts.ts';
import { resolveIntents } from './intents.ts';
import { narrowAudience, narrowServices, serviceIds, withinAudience } from './narrowing.ts';
import { readParentToken, type ParentToken } from './parent-token.ts';
import { DEFAULT_TTL_SECONDS, type DelegateBody, type SignedPassport } from '../schema.ts';
import { PassportAnswerRow, signPassport } from './sign.ts';
import type { ComposedClaims } from '../token.ts';

/** Most hops: a passport at this depth cannot be delegated further. */
const MAX_DEPTH = 4;

/**
 * Gives an agent of the same operator a passport that allows no more than its parent in anything.
 * @throws CarnetError INVALID_PASSPORT, NOT_FOUND, VALIDATION_ERROR, UNKNOWN_INTENT, PASSPORT_REVOKED,
 *   PASSPORT_EXPIRED, ALREADY_CHECKED_OUT, AGENT_REVIEW_PENDING, OPERATOR_SUSPENDED, AGENT_BLOCKED, INVALID_STATE,
 *   DELEGATION_DEPTH_EXCEEDED, AUTHORITY_BINDING_INVALID, SCOPE_ESCALATION, TTL_EXCEEDS_PARENT, PASSPORT_BUDGET_EXCEEDED, PASSPORT_TOO_LARGE,
 *   INSUFFICIENT_CREDITS, TEMPORARILY_UNAVAILABLE.
 */
export async function delegatePassport(
  context: Context,
  call: CommandCall,
  body: DelegateBody,
): Promise<Answered<SignedPassport>> {
  await assertPatterns(context, call.caller.operatorId, constraintsOf(body.scopes));
  const parent = await readParentToken(context, call, {
    token: body.parent_passport_token,
    path: 'parent_passport_token',
  });
  return await signPassport(context, call, {
    compose: (facts) => composeDelegation(context, { parent, body, operatorId: call.caller.operatorId, facts }),
    decide: (common, composed) => sql.type(PassportAnswerRow)`
      select * from delegate_passport(${common},
        p_parent => ${parent instanceof CarnetError ? null : parent.jti}, p_parent_digest => ${parent instanceof CarnetError ? null : parent.digest}, p_agent => ${body.child_agent_id},
        p_accountability => ${composed?.accountability ?? null},
        p_ttl_seconds => ${body.ttl_seconds === undefined ? null : Math.floor(body.ttl_seconds)},
        p_standard_seconds => ${DEFAULT_TTL_SECONDS}, p_interval => ${composed?.interval ?? null},
        p_budget => ${body.budget?.amount_cents ?? null})`,
  });
}

interface Delegation {
  parent: ParentToken | CarnetError;
  body: DelegateBody;
  operatorId: OperatorId;
  facts: FactsInUse;
}

async function composeDelegation(context: Context, { parent, body, operatorId, facts }: Delegation) {
  if (parent instanceof CarnetError) throw parent;
  const { claims: parentClaims, audience: parentAudience } = parent;
  const child = await facts.of(body.child_agent_id);
  assertThat(child, () => notFound('agent'));
  const delegator = parentClaims.agent_id === child.agent.id ? child : await facts.of(parentClaims.agent_id);
  assertThat(delegator, () => notFound('agent'));
  const pinned = new Map(
    parentClaims.services
      .flatMap(({ constraints }) => intentsOf(constraints) ?? [])
      .map((entry) => [entry.claim, entry]),
  );
  const requested = await resolveIntents(context, {
    items: body.scopes,
    refs: [],
    operatorId,
    agentId: child.agent.id,
    pinned,
  });
  assertCanHoldPassport(delegator);
  assertCanHoldPassport(child);
  assertThat(
    parentClaims.delegation_depth < MAX_DEPTH,
    () =>
      new CarnetError(
        'DELEGATION_DEPTH_EXCEEDED',
        `The passport was delegated ${MAX_DEPTH} times already; no more are allowed.`,
      ),
  );
  const bindings = requireActiveBindings(
    delegator,
    parentClaims.authority_refs.map(({ binding_id: id }) => id),
  );
  facts.use(...bindings);
  // The lineage of the parent passport may be older than what its agent is held to now.
  const { accountability: above } = delegator.agent;
  const accountability = strongerMode(above, child.agent.accountability);
  const interval = checkpointInterval(child, accountability, checkpointInterval(delegator, above) ?? undefined);
  const services = narrowServices(withinAudience(parentClaims.services, parentAudience), requested, 'SCOPE_ESCALATION');
  const own = [context.config.publicBaseUrl].filter((id) => parentAudience?.includes(id) ?? true);
  const audience = body.audience ?? (parentAudience && [...own, ...serviceIds(services)]);
  return {
    accountability,
    interval,
    audience: audience && narrowAudience(audience, { services, own, excessCode: 'SCOPE_ESCALATION' }),
    claims: {
      ...inheritedClaims(parentClaims),
      agent_id: child.agent.id,
      agent_name: child.agent.name,
      services,
      authority_refs: child === delegator ? parentClaims.authority_refs : [],
      delegation_depth: parentClaims.delegation_depth + 1,
      chain: [...parentClaims.chain, parent.jti],
    },
  };
}

/** Returns what a child takes from its parent, without identity claims that have expired since. */
const inheritedClaims = (above: ComposedClaims): ComposedClaims => ({
  ...above,
  identity_claims: above.identity_claims.filter(({ expires_at: end }) => end === null || end * 1_000 > Date.now()),
});
