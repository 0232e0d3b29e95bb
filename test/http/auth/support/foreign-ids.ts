import { newId } from '../../../../src/ids/ids.ts';
import type { ErrorCode } from '../../../../src/errors/codes.ts';
import { envelopeOf } from '../../../claims/support.ts';
import { publication, unique } from '../../../support/factories.ts';
import type { TestOperator } from '../../../support/factories.ts';
import type { Belongings, Kind } from './belongings.ts';

/** Which thing each id in a path is of; the first line that the path begins with counts. */
export const pathIds: [start: string, ...kinds: Kind[]][] = [
  ['/v1/api-keys/:', 'key'],
  ['/v1/members/:', 'member'],
  ['/v1/dashboard/sessions/:', 'dashboardSession'],
  ['/v1/credentials/:', 'credential'],
  ['/v1/agents/:id/grants/:', 'agent', 'connection'],
  ['/v1/agents/:', 'agent'],
  ['/v1/service-connections/:', 'connection'],
  ['/v1/missions/:', 'mission'],
  ['/v1/authority-bindings/:', 'binding'],
  ['/v1/identity-claims/:', 'identityClaim'],
  ['/v1/skills/invocations/:', 'invocation'],
  ['/v1/skills/:', 'skill'],
  ['/v1/skill-requests/:', 'request'],
  ['/v1/claims/:', 'claim'],
  ['/v1/notifications/destinations/:', 'destination'],
  ['/v1/governance/approvals/:', 'approval'],
  ['/v1/passports/revoke-agent/:', 'agent'],
  ['/v1/passports/revoke-session/:', 'session'],
  ['/v1/passports/reviews/:', 'checkout'],
  ['/v1/passports/:', 'passport'],
  ['/v1/notifications/channels/:', 'rule'],
  ['/v1/billing/refund/:', 'transaction'],
  ['/v1/billing/transactions/:', 'transaction'],
  ['/v1/billing/refunds/:', 'refund'],
  ['/v1/billing/topups/:', 'topUp'],
  ['/v1/notifications/deliveries/:', 'delivery'],
  ['/v1/events/:', 'event'],
  ['/v1/partner-grants/:', 'partnerGrant'],
  ['/v1/operator/inbound-webhooks/:id/events/:', 'endpoint', 'inboundEvent'],
  ['/v1/operator/inbound-webhooks/:', 'endpoint'],
];

/** Where an id that is not the caller's is something else than 404, by decision. */
export const otherwise: Record<string, 200 | ErrorCode> = {
  // Revoking what is not there revokes nothing, and says so.
  'POST /v1/passports/revoke-agent/:agentId': 200,
  'POST /v1/passports/revoke-session/:sessionId': 200,
};

/** Things that everybody may see by their id: the answers differ, and a change is for the owner. */
export const seenByAll: Record<string, 200 | ErrorCode> = {
  'GET /v1/skill-requests/:id': 200,
  'GET /v1/skill-requests/:id/matches': 200,
  'GET /v1/skill-requests/:id/suggest': 200,
  'PATCH /v1/skill-requests/:id': 'NOT_OWNER',
  'GET /v1/claims/:id': 200,
  'GET /v1/claims/:id/receipt': 200,
  'GET /v1/claims/:id/bundle': 'NOT_OWNER',
  'GET /v1/log/proofs/inclusion': 200,
  'POST /v1/claims/:id/revoke': 'NOT_OWNER',
  'POST /v1/claims/:id/erase': 'NOT_OWNER',
  'POST /v1/claims/:id/co-signatures': 'NOT_OWNER',
};

/** Bodies where the example of the route is none. */
export const bodies: Record<string, unknown> = {
  'POST /v1/skills/:id/check-trust': { passport_claims: [] },
};

/** An id of the same kind that nothing has. */
export const madeUp: Belongings = {
  operator: newId('op'),
  key: newId('key'),
  member: newId('mem'),
  dashboardSession: newId('dsh'),
  credential: unique('provider'),
  agent: newId('ag'),
  connection: newId('con'),
  mission: newId('ms'),
  binding: newId('bnd'),
  identityClaim: newId('idc'),
  skill: newId('skl'),
  request: newId('rqt'),
  invocation: newId('inv'),
  claim: newId('pc'),
  passport: newId('psp'),
  session: newId('ses'),
  checkout: newId('chko'),
  approval: newId('apr'),
  topUp: newId('top'),
  transaction: newId('txn'),
  refund: newId('rfd'),
  destination: newId('dst'),
  rule: newId('chn'),
  event: newId('evt'),
  delivery: newId('dlv'),
  partnerGrant: newId('pgr'),
  endpoint: newId('inw'),
  inboundEvent: newId('iev'),
};

/** Names whose ids are tried, and what the caller has of its own. */
export interface Attacker {
  as: TestOperator;
  has: Pick<Belongings, 'agent' | 'connection'>;
  token: string;
}

/** Which thing an id in a body or a query is of, by the name of the member. */
export const memberIds: Record<string, Kind> = {
  agent_id: 'agent',
  claim_id: 'claim',
  child_agent_id: 'agent',
  operator_id: 'operator',
  issuer: 'operator',
  session_id: 'session',
  skill_id: 'skill',
  invocation_id: 'invocation',
  passport_id: 'passport',
  jti: 'passport',
  service_connection_id: 'connection',
  transaction_id: 'transaction',
  identity_claim_ids: 'identityClaim',
  authority_binding_ids: 'binding',
  mission_id: 'mission',
  mission_ids: 'mission',
  mission_ref: 'mission',
  intents: 'claim',
  refs: 'claim',
  ref: 'claim',
  destination_ids: 'destination',
  destination_id: 'destination',
  event_id: 'event',
  partner_grant_id: 'partnerGrant',
};

/** An id in a body: a request that is right in everything else. */
export interface BodyId {
  line: string;
  member: string;
  /** Whether the id is of nothing or of somebody else; `named`: a fault of the request that names the member. */
  outcome: 'named' | ErrorCode;
  body(id: string, own: Attacker): unknown;
}

const tried = (
  line: string,
  { member, outcome }: { member: string; outcome: BodyId['outcome'] },
  body: BodyId['body'],
): BodyId => ({
  line,
  member,
  outcome,
  body,
});
const issue = (member: string, outcome: BodyId['outcome'], more: (id: string, own: Attacker) => object): BodyId =>
  tried('POST /v1/passports/issue', { member, outcome }, (id, own) => ({ agent_id: own.has.agent, ...more(id, own) }));
const delegate = (member: string, outcome: BodyId['outcome'], more: (id: string, own: Attacker) => object): BodyId =>
  tried('POST /v1/passports/delegate', { member, outcome }, (id, own) => ({
    parent_passport_token: own.token,
    child_agent_id: own.has.agent,
    scopes: [],
    ...more(id, own),
  }));
const scoped = (id: string, intents: string[] = []): object => ({
  scopes: [{ service_connection_id: id, scopes: ['*'], ...(intents.length > 0 && { intents }) }],
});
const bound = { receiver_id: 'bank.example', receiver_profile_version_id: 'v1', expires_at: '2099-01-01T00:00:00Z' };
const input = { text: 'hello' };

export const bodyIds: BodyId[] = [
  tried('POST /v1/api-keys', { member: 'agent_id', outcome: 'named' }, (id) => ({
    name: 'x',
    kind: 'agent',
    agent_id: id,
  })),
  tried('POST /v1/api-keys', { member: 'partner_grant_id', outcome: 'named' }, (id) => ({
    name: 'x',
    kind: 'partner',
    partner_grant_id: id,
  })),
  tried('POST /v1/operator/inbound-webhooks', { member: 'agent_id', outcome: 'NOT_FOUND' }, (id) => ({
    provider: 'generic',
    agent_id: id,
  })),
  tried('POST /v1/missions', { member: 'agent_id', outcome: 'NOT_FOUND' }, (id) => ({
    declared_intent: 'x',
    agent_id: id,
  })),
  tried('POST /v1/authority-bindings', { member: 'agent_id', outcome: 'NOT_FOUND' }, (id) => ({
    agent_id: id,
    ...bound,
  })),
  tried('POST /v1/skills', { member: 'agent_id', outcome: 'named' }, (id) =>
    publication({ name: 'tried', agent_id: id }),
  ),
  tried('POST /v1/skills/check', { member: 'agent_id', outcome: 'named' }, (id) =>
    publication({ name: 'tried', agent_id: id }),
  ),
  tried('POST /v1/skills/:id/rate', { member: 'invocation_id', outcome: 'named' }, (id) => ({
    rating: 5,
    invocation_id: id,
  })),
  tried('POST /v1/skills/:id/invoke', { member: 'agent_id', outcome: 'named' }, (id) => ({ input, agent_id: id })),
  tried('POST /v1/skills/:id/invoke', { member: 'passport_id', outcome: 'named' }, (id) => ({
    input,
    passport_id: id,
  })),
  tried('POST /v1/skills/:id/invoke', { member: 'mission_id', outcome: 'named' }, (id) => ({ input, mission_id: id })),
  tried('POST /v1/skills/:id/try', { member: 'agent_id', outcome: 'named' }, (id) => ({ input, agent_id: id })),
  tried('POST /v1/skills/:id/try', { member: 'passport_id', outcome: 'named' }, (id) => ({ input, passport_id: id })),
  tried('POST /v1/skills/:id/try', { member: 'mission_id', outcome: 'named' }, (id) => ({ input, mission_id: id })),
  issue('agent_id', 'NOT_FOUND', (id) => ({ agent_id: id })),
  issue('service_connection_id', 'SCOPE_NOT_GRANTED', (id) => scoped(id)),
  issue('intents', 'UNKNOWN_INTENT', (id, own) => scoped(own.has.connection, [id])),
  issue('refs', 'UNKNOWN_INTENT', (id) => ({ intent: { summary: 'x', services: [], refs: [id] } })),
  issue('identity_claim_ids', 'named', (id) => ({ identity_claim_ids: [id] })),
  issue('authority_binding_ids', 'AUTHORITY_BINDING_INVALID', (id) => ({ authority_binding_ids: [id] })),
  issue('mission_ids', 'named', (id) => ({ mission_ids: [id] })),
  delegate('child_agent_id', 'NOT_FOUND', (id) => ({ child_agent_id: id })),
  delegate('service_connection_id', 'SCOPE_ESCALATION', (id) => scoped(id)),
  delegate('intents', 'UNKNOWN_INTENT', (id, own) => scoped(own.has.connection, [id])),
  tried('POST /v1/passports/revoke', { member: 'jti', outcome: 'NOT_FOUND' }, (id) => ({ jti: id })),
  tried('POST /v1/notifications/channels', { member: 'destination_ids', outcome: 'named' }, (id) => ({
    destination_ids: [id],
  })),
  tried('PATCH /v1/notifications/channels/:id', { member: 'destination_ids', outcome: 'named' }, (id) => ({
    destination_ids: [id],
  })),
  tried('POST /v1/notifications/deliveries/recover', { member: 'destination_id', outcome: 'NOT_FOUND' }, (id) => ({
    destination_id: id,
    since: '2026-01-01T00:00:00Z',
    until: '2099-01-01T00:00:00Z',
  })),
  tried('POST /v1/claims', { member: 'issuer', outcome: 'ISSUER_MISMATCH' }, (id, { as }) =>
    envelopeOf(as, { issuer: id, issued_at: 1 }),
  ),
];

/** Members of bodies that end like ids, and why none of another operator can be meant by them. */
export const noIds: Record<string, string> = {
  service_id: 'a name that the operator gave',
  credential_ref: 'a name that the operator gave',
  receiver_id: 'a name outside of the service',
  receiver_profile_version_id: 'a name outside of the service',
  claim_id: 'of check-trust: what the caller brings along is judged, nothing is looked up',
  token: 'whoever holds a passport may have it verified; of refresh it is tried by itself',
  parent_passport_token: 'tried by itself',
};

/** Routes whose bodies name things of any operator. */
export const named: Record<string, string> = {
  'POST /v1/identity-claims': 'the platform attests for every operator',
  'POST /v1/claims': 'a payload is a statement; its references may be of anybody and may not yet be there',
  'POST /v1/claims/verify': 'everybody who knows the id of a claim may read its digest, and whether it is in the log',
};
