import type { Answered, CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { assertMayHold, intervalOf, liveBindings, stronger } from './assemble.ts';
import { intentsOf } from './constraints.ts';
import type { FactsInUse } from './facts.ts';
import { withIntents } from './intents.ts';
import { narrowed } from './narrowing.ts';
import { parentToken, type ParentToken } from './parent-token.ts';
import { STANDARD_TTL_SECONDS, type DelegateBody, type SignedPassport } from '../schema.ts';
import { PassportAnswerRow, signPassport } from './sign.ts';
import type { PassportClaims } from '../token.ts';

/** Hops at most: a passport at this depth is not delegated further (decisions A13). */
const DEEPEST = 4;

/**
 * Gives an agent of the same operator a passport that is narrower in everything (Market §4.6).
 * @throws CarnetError INVALID_PASSPORT, NOT_FOUND, VALIDATION_ERROR, UNKNOWN_INTENT, PASSPORT_REVOKED, PASSPORT_EXPIRED, ALREADY_CHECKED_OUT,
 *   AGENT_REVIEW_PENDING, OPERATOR_SUSPENDED, AGENT_BLOCKED, INVALID_STATE, DELEGATION_DEPTH_EXCEEDED, AUTHORITY_BINDING_INVALID,
 *   SCOPE_ESCALATION, TTL_EXCEEDS_PARENT, PASSPORT_TOO_LARGE.
 */
export async function delegatePassport(
  context: Context,
  call: CommandCall,
  body: DelegateBody,
): Promise<Answered<SignedPassport>> {
  const parent = await parentToken(context, call, body.parent_passport_token, 'parent_passport_token');
  return await signPassport(context, call, {
    compose: (facts) => composeDelegation(context, parent, { ...body, operatorId: call.caller.operatorId }, facts),
    decide: (begin, composed) => sql.type(PassportAnswerRow)`
      select * from delegate_passport(${begin},
        p_parent => ${parent instanceof CarnetError ? null : parent.jti}, p_agent => ${body.child_agent_id},
        p_accountability => ${composed?.claims.accountability ?? null},
        p_ttl_seconds => ${body.ttl_seconds === undefined ? null : Math.floor(body.ttl_seconds)},
        p_standard_seconds => ${STANDARD_TTL_SECONDS}, p_interval => ${composed?.interval ?? null})`,
  });
}

interface Delegation extends DelegateBody {
  operatorId: OperatorId;
}

async function composeDelegation(
  context: Context,
  parent: ParentToken | CarnetError,
  body: Delegation,
  facts: FactsInUse,
) {
  if (parent instanceof CarnetError) throw parent;
  const { claims: above } = parent;
  const { operatorId } = body;
  const child = await facts.of(body.child_agent_id);
  assertThat(child, () => notFound('agent'));
  const delegating = above.agent_id === child.agent.id ? child : await facts.of(above.agent_id);
  assertThat(delegating, () => notFound('agent'));
  const pinned = new Map(
    above.services.flatMap(({ constraints }) => intentsOf(constraints) ?? []).map((entry) => [entry.claim, entry]),
  );
  const asked = await withIntents(context, body.scopes, [], { operatorId, agentId: child.agent.id, pinned });
  assertMayHold(delegating);
  assertMayHold(child);
  assertThat(
    above.delegation_depth < DEEPEST,
    () =>
      new CarnetError(
        'DELEGATION_DEPTH_EXCEEDED',
        `The passport was delegated ${DEEPEST} times already; no more are allowed.`,
      ),
  );
  const bindings = liveBindings(
    delegating,
    above.authority_refs.map(({ binding_id: id }) => id),
  );
  facts.use(...bindings);
  const accountability = stronger(above.accountability, child.agent.accountability);
  const interval = intervalOf(child, accountability);
  return {
    interval,
    claims: {
      ...inherited(above),
      agent_id: child.agent.id,
      agent_name: child.agent.name,
      services: narrowed(above.services, asked, 'SCOPE_ESCALATION'),
      authority_refs: child === delegating ? above.authority_refs : [],
      delegation_depth: above.delegation_depth + 1,
      accountability,
      ...shortest(interval, above.checkpoint_interval),
      chain: [...above.chain, parent.jti],
    },
  };
}

/** What a child has of its parent (decisions A41); an identity claim that has ended since says nothing any more. */
const inherited = ({ checkpoint_interval: _interval, ...above }: PassportClaims): PassportClaims => ({
  ...above,
  identity_claims: above.identity_claims.filter(({ expires_at: end }) => end === null || end * 1_000 > Date.now()),
});

const shortest = (own: number | null, above: number | undefined): { checkpoint_interval?: number } => {
  const intervals = [own, above].flatMap((interval) =>
    interval === null || interval === undefined ? [] : [Math.floor(interval)],
  );
  return intervals.length === 0 ? {} : { checkpoint_interval: Math.min(...intervals) };
};
