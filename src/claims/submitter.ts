import type { Caller } from '../commands/caller.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { refsOf } from './named.ts';
import { findOfOthers } from './queries.ts';
import type { Submitter } from './schema/claim.ts';
import type { Envelope } from './schema/envelope.ts';
import type { ClaimType } from './schema/payloads.ts';

/**
 * Who may submit claims of each type under the operator's name: a key of an agent as well, about that agent, or credentials of the operator
 * alone. An agent says what it is about to do, what came of that, what it saw, in what it runs, and what it made. It does not judge, approve or
 * erase, and does not speak for a receiver, a builder or a log (decision L108).
 */
const SUBMITTERS: Record<ClaimType, 'agents' | 'operators'> = {
  svid_attestation: 'agents',
  workload_attestation: 'agents',
  rats_evidence: 'agents',
  slsa_provenance: 'operators',
  c2pa_assertion: 'agents',
  ai_bom_ref: 'operators',
  intent_claim: 'agents',
  intent_outcome: 'agents',
  intent_denial: 'operators',
  intent_simulation: 'operators',
  entity_observation: 'agents',
  detector_signal: 'operators',
  skill_invocation: 'operators',
  checkpoint_approval: 'operators',
  identity_claim: 'operators',
  mission: 'operators',
  behavioral_genome: 'operators',
  twin_divergence: 'operators',
  evidence_pack: 'operators',
  operator_decision: 'operators',
  operator_review: 'operators',
  external_proof_verification: 'operators',
  authority_binding: 'operators',
  authority_approval: 'operators',
  authority_use: 'agents',
  receiver_transaction_receipt: 'operators',
  authority_erasure_tombstone: 'operators',
  passport_color: 'operators',
  dossier: 'operators',
  chain_anchor: 'operators',
};

/** The types that the key of an agent may submit. */
export const TYPES_OF_AGENTS = (Object.keys(SUBMITTERS) as ClaimType[]).filter((type) => SUBMITTERS[type] === 'agents');

/** The kind of credential that submits a claim. */
export function submitterOf(caller: Caller): Submitter {
  if (caller.kind === 'agent') return 'agent_key';
  if (caller.kind !== 'operator') throw new TypeError(`No ${caller.kind} submits claims.`);
  if (caller.platform && caller.by.kind === 'key') return 'platform_key';
  return { key: 'operator_key', oauth: 'operator_token', session: 'member_session' }[caller.by.kind] as Submitter;
}

/**
 * The key of an agent submits claims of the types of agents, about itself. Nothing is asked of others.
 * @throws CarnetError AGENT_CLAIM_FORBIDDEN
 */
export function assertMaySubmit(caller: Caller, { claim_type: type, subject, payload }: Envelope): void {
  if (caller.kind !== 'agent') return;
  if (SUBMITTERS[type] !== 'agents')
    throw forbidden(`A ${type} is not for an agent to state; its own types are ${TYPES_OF_AGENTS.join(', ')}`);
  const own = `carnet://agent/${caller.agentId}`;
  if (subject !== own) throw forbidden(`An agent states claims about itself: subject must be ${own}`);
  const named = isJsonObject(payload as JsonValue) ? (payload as { agent_id?: unknown }).agent_id : undefined;
  if (named !== undefined && named !== caller.agentId)
    throw forbidden(`An agent states claims about itself: payload.agent_id must be ${caller.agentId}`);
}

/**
 * An outcome or an observation of an agent belongs to its own intent or outcome: of another's it would say how that had ended.
 * @throws CarnetError AGENT_CLAIM_FORBIDDEN
 */
export async function assertRefersToOwn(
  connection: CommonQueryMethods,
  caller: Caller,
  { payload }: Envelope,
): Promise<void> {
  if (caller.kind !== 'agent') return;
  // The claim that an intent requires may be anybody's.
  const { requires: _any, ...rest } = isJsonObject(payload as JsonValue) ? (payload as Record<string, JsonValue>) : {};
  const refs = refsOf(rest);
  const [other] = refs.length === 0 ? [] : await findOfOthers(connection, refs, caller);
  if (other !== undefined)
    throw forbidden(`${other} is no claim about ${caller.agentId}, so this agent does not say what came of it`);
}

const forbidden = (reason: string): CarnetError =>
  new CarnetError('AGENT_CLAIM_FORBIDDEN', `${reason}; submit it with a key of the operator.`);
