import type { PassportFacts } from '../../authority/index.ts';
import { assertThat, CarnetError, invalid } from '../../errors/carnet-error.ts';
import { keepsEvery } from './constraints.ts';
import type { AuthorityRef, PassportClaims, PassportIdentityClaim, ServiceScope } from '../token.ts';

type Accountability = PassportClaims['accountability'];

/** Seconds between the checkpoints of an enforced agent that nobody gave another interval (decisions A22). */
const ENFORCED_INTERVAL_SECONDS = 300;

/** From the weakest to the strongest. */
const STRENGTHS: readonly Accountability[] = ['standard', 'logged', 'enforced'];

export const stronger = (a: Accountability, b: Accountability): Accountability =>
  STRENGTHS.indexOf(a) >= STRENGTHS.indexOf(b) ? a : b;

/** The agent's own interval, or its mode's; null: none. */
export const intervalOf = ({ agent }: PassportFacts, mode: Accountability): number | null =>
  agent.checkpoint_interval_seconds ?? (mode === 'enforced' ? ENFORCED_INTERVAL_SECONDS : null);

/** @throws CarnetError OPERATOR_SUSPENDED, AGENT_BLOCKED, INVALID_STATE for a retired agent */
export function assertMayHold({ agent, operator_status: status }: PassportFacts): void {
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
      new CarnetError('INVALID_STATE', `The agent ${agent.id} is retired; enable it first.`, {
        extra: { current_status: agent.status },
      }),
  );
}

/** What is granted to the agent now; a grant whose scopes are all gone is none. */
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
 * A refresh keeps nothing that the grants do not give any more (decisions A16): scopes, sources of data, limits.
 * @throws CarnetError SCOPE_NOT_GRANTED
 */
export function assertStillGranted(services: readonly ServiceScope[], facts: PassportFacts): void {
  const granted = new Map(grantedServices(facts).map((grant) => [grant.connection_id, grant]));
  for (const { connection_id: id, service_name: name, scopes, allow_data_from: sources, constraints } of services) {
    const grant = granted.get(id);
    const lost =
      scopes.find((scope) => grant?.scopes.includes(scope) !== true) ??
      sources.find((source) => grant?.allow_data_from.includes(source) !== true);
    if (grant === undefined || lost !== undefined || !keepsEvery(constraints, grant.constraints)) {
      throw new CarnetError(
        'SCOPE_NOT_GRANTED',
        `${lost ?? 'What the passport allows'} of ${name} is no longer granted as it was; issue a new passport.`,
        { extra: { connection_id: id } },
      );
    }
  }
}

type IdentityClaimFact = PassportFacts['identity_claims'][number];

/**
 * The named identity claims, or the agent's own and those of the account that agents inherit (decisions A9).
 * @throws CarnetError VALIDATION_ERROR
 */
export function chosenIdentity(facts: PassportFacts, named: readonly string[] | undefined): IdentityClaimFact[] {
  const { identity_claims: all, agent } = facts;
  if (named === undefined)
    return all.filter(({ agent_id: owner, inherit }) => owner === agent.id || (owner === null && inherit));
  return pick(
    named,
    'identity_claim_ids',
    new Map(all.map((claim) => [claim.claim_id, claim])),
    'an identity claim that this agent can use now',
  );
}

function pick<Item>(named: readonly string[], path: string, known: ReadonlyMap<string, Item>, what: string): Item[] {
  return named.map((id, index) => {
    const item = known.get(id);
    if (item === undefined)
      throw invalid({ path: `${path}.${index}`, code: 'invalid_reference', message: `${id} is not ${what}` });
    return item;
  });
}

/** As a passport shows them: without whose they are. */
export const shownIdentity = ({
  agent_id: _agent,
  inherit: _inherit,
  ...claim
}: IdentityClaimFact): PassportIdentityClaim => claim;

/**
 * The active bindings of these ids, of this agent and its current key (decisions A10).
 * @throws CarnetError AUTHORITY_BINDING_INVALID
 */
export function liveBindings(
  { authority_bindings: active, agent }: PassportFacts,
  ids: readonly string[],
): AuthorityRef[] {
  return ids.map((id) => {
    const binding = active.find(({ binding_id: known }) => known === id);
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
