import { ENFORCED_INTERVAL_SECONDS } from '../../accounts/index.ts';
import type { PassportFacts } from '../../authority/index.ts';
import { assertThat, CarnetError, invalid } from '../../errors/carnet-error.ts';
import { includesEveryLimit } from './constraints.ts';
import {
  PassportClaimsSchema,
  type AuthorityRef,
  type PassportClaims,
  type PassportIdentityClaim,
  type ServiceScope,
} from '../token.ts';

type Accountability = PassportClaims['accountability'];

/** From the weakest to the strongest. */
const MODES = PassportClaimsSchema.shape.accountability.options;

export const strongerMode = (a: Accountability, b: Accountability): Accountability =>
  MODES.indexOf(a) >= MODES.indexOf(b) ? a : b;

/**
 * Seconds between checkpoints: the least of what is asked for, the agent's own, and the most that the mode allows, so that
 * asking never makes it longer; null: no checkpoints.
 */
export function checkpointInterval({ agent }: PassportFacts, mode: Accountability, asked?: number): number | null {
  const most = mode === 'enforced' ? ENFORCED_INTERVAL_SECONDS : Number.POSITIVE_INFINITY;
  const least = Math.min(asked ?? most, agent.checkpoint_interval_seconds ?? most, most);
  return Number.isFinite(least) ? least : null;
}

/** @throws CarnetError OPERATOR_SUSPENDED, AGENT_BLOCKED, INVALID_STATE for a disabled agent */
export function assertCanHoldPassport({ agent, operator_status: status }: PassportFacts): void {
  assertThat(
    status === 'active',
    () => new CarnetError('OPERATOR_SUSPENDED', 'This operator is suspended; no passports are signed for it.'),
  );
  assertThat(
    agent.status !== 'blocked',
    () =>
      new CarnetError('AGENT_BLOCKED', `The agent ${agent.id} is blocked; an administrator unblocks it.`, {
        extra: { agent_id: agent.id },
      }),
  );
  assertThat(
    agent.status === 'active',
    () =>
      new CarnetError('INVALID_STATE', `The agent ${agent.id} is disabled; set its status to active first.`, {
        extra: { current_status: agent.status },
      }),
  );
}

/** Returns what is granted to the agent now, without grants that have no scope left. */
export const grantedServices = ({ grants }: PassportFacts): ServiceScope[] =>
  grants.flatMap((grant) =>
    grant.scopes.length === 0
      ? []
      : [
          {
            service_id: grant.service_id,
            service_name: grant.service_name,
            scopes: grant.scopes,
            credential_ref: grant.credential_ref,
            connection_id: grant.connection_id,
            allow_data_from: grant.allow_data_from,
            constraints: grant.constraints,
          },
        ],
  );

/**
 * A refresh is refused if the grants no longer give all that the passport allows: scopes, sources of data, limits.
 * @throws CarnetError SCOPE_NOT_GRANTED
 */
export function assertStillGranted(services: readonly ServiceScope[], facts: PassportFacts): void {
  const granted = new Map(grantedServices(facts).map((grant) => [grant.connection_id, grant]));
  for (const { connection_id: id, service_name: name, scopes, allow_data_from: sources, constraints } of services) {
    const grant = granted.get(id);
    const missing =
      scopes.find((scope) => grant?.scopes.includes(scope) !== true) ??
      sources.find((source) => grant?.allow_data_from.includes(source) !== true);
    if (grant === undefined || missing !== undefined || !includesEveryLimit(constraints, grant.constraints)) {
      throw new CarnetError(
        'SCOPE_NOT_GRANTED',
        `${missing ?? 'What the passport allows'} of ${name} is no longer granted; issue a new passport.`,
        { extra: { connection_id: id } },
      );
    }
  }
}

type IdentityClaimFact = PassportFacts['identity_claims'][number];

/**
 * The named identity claims; without names the agent's own, and those of the account that agents inherit.
 * @throws CarnetError VALIDATION_ERROR
 */
export function selectIdentityClaims(facts: PassportFacts, named: readonly string[] | undefined): IdentityClaimFact[] {
  const { identity_claims: all, agent } = facts;
  if (named === undefined)
    return all.filter(({ agent_id: owner, inherit }) => owner === agent.id || (owner === null && inherit));
  const byId = new Map(all.map((claim) => [claim.claim_id, claim]));
  return named.map((id, index) => {
    const claim = byId.get(id);
    if (claim === undefined) {
      throw invalid({
        path: `identity_claim_ids.${index}`,
        code: 'invalid_reference',
        message: `${id} is not an identity claim that this agent can use now`,
      });
    }
    return claim;
  });
}

/** An identity claim as a token has it: who it is about is named, since passports below inherit it. */
export const toPassportIdentityClaim = (
  { agent_id: agentId, inherit: _inherit, ...claim }: IdentityClaimFact,
  operatorId: string,
): PassportIdentityClaim => ({ ...claim, holder: agentId ?? operatorId });

/**
 * The bindings with these ids, each active for this agent and its current key.
 * @throws CarnetError AUTHORITY_BINDING_INVALID
 */
export function requireActiveBindings(
  { authority_bindings: active, agent }: PassportFacts,
  ids: readonly string[],
): AuthorityRef[] {
  return ids.map((id) => {
    const binding = active.find(({ binding_id: activeId }) => activeId === id);
    assertThat(
      binding,
      () =>
        new CarnetError(
          'AUTHORITY_BINDING_INVALID',
          `The authority binding ${id} is not active for ${agent.id} and its current key.`,
          {
            extra: { binding_id: id },
          },
        ),
    );
    return binding;
  });
}
