import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Claim } from '../../src/claims/schema/claim.ts';
import type { TestOperator } from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { assertStatus, type Requester } from '../support/service.ts';

type Members = Record<string, unknown>;

/** An envelope of the operator, different from every other. */
export const envelopeOf = (operator: TestOperator, overrides: Members = {}): Members => ({
  envelope_version: 1,
  issuer: operator.operatorId,
  subject: 'carnet://agent/ag_1',
  issued_at: newTime(),
  claim_type: 'mission',
  claim_version: 1,
  receipt: null,
  ...overrides,
});

let latest = 1_700_000_000;
const newTime = (): number => (latest += 1);

export const signal = (overrides: Members = {}): Members => ({
  type: 'detector_signal',
  detector_key: 'prompt_injection',
  severity: 'high',
  pipeline: 'heuristic',
  detected_at: 1_700_000_000,
  ...overrides,
});

export const intent = (overrides: Members = {}): Members => ({
  type: 'intent_claim',
  intent_type: 'http_call',
  agent_id: 'ag_1',
  named_intent: 'mail:message:send',
  target: 'mail',
  action: 'POST /messages',
  parameters: {},
  estimated_cost: { wallet_cents: null, tokens: null, gas_gwei: null },
  reason: null,
  user_subject: null,
  mission_ref: null,
  submitted_at: 1_700_000_000,
  ...overrides,
});

export const submit = async (operator: TestOperator, overrides: Members = {}): Promise<Claim> =>
  assertStatus(await operator.post<Claim>('/v1/claims', envelopeOf(operator, overrides)), 201);

/** The digest of the signed bytes (decision L5), computed by other code than the service's. */
export function digestOf(envelope: Members): string {
  const signed = Object.fromEntries(
    Object.entries(envelope).filter(([name]) => name !== 'receipt' && name !== 'co_signatures'),
  );
  return `sha256:${createHash('sha256')
    .update(canonicalize(signed) ?? '', 'utf8')
    .digest('hex')}`;
}

/** A claim when it has its place in the log: from then on only a revocation changes it. */
export const placed = (reader: Requester, id: string): Promise<Claim> =>
  eventually(`the place of ${id} in the log`, async () => {
    const claim = assertStatus(await reader.get<Claim>(`/v1/claims/${id}`), 200);
    return claim.log_index !== null && claim;
  });

/** Submits a claim and waits until it has its place in the log. */
export const submitAndPlace = async (operator: TestOperator, overrides: Members = {}): Promise<Claim> =>
  placed(operator, (await submit(operator, overrides)).id);
