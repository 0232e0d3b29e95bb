import { refusedWith } from '../../governance/support.ts';
import { buildAgent, unique } from '../../support/factories.ts';
import { assertProblem, assertStatus, type Requester } from '../../support/service.ts';

/** An operator with one of each thing that a page shows: the ids by which the pages are opened. */
export interface Scene {
  agentId: string;
  approvalId: string;
  keyId: string;
  memberId: string;
  reviewId: string;
  /** The path of a payment page that is open. */
  checkout: string;
}

/** Sends a change of an agent that only a person may approve. @returns the id of the approval */
export async function requestApproval(operator: Requester): Promise<string> {
  const { id } = await buildAgent(operator, { accountability: 'enforced', name: unique('night-shift') });
  const reply = await operator.patch(`/v1/agents/${id}`, { accountability: 'logged', name: 'night-shift' });
  assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
  return refusedWith(reply).approval_id;
}

/** Work of an agent that used a service which was not declared, so a person reviews it. */
export async function requestReview(operator: Requester): Promise<{ reviewId: string; agentId: string }> {
  const { id: agentId } = await buildAgent(operator, { accountability: 'enforced', name: unique('night-shift') });
  const issued = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId }), 201);
  const work = `/v1/passports/${issued.jti}`;
  const calls = [{ service: 'crm', method: 'contacts.export', target: 'https://crm.example.com/v2/contacts?all=true' }];
  const report = { services_used: ['crm'], actions_count: 3, tool_calls: calls };
  assertStatus(await operator.post(`${work}/checkpoint`, { ...report, summary: 'Read the list of contacts.' }), 201);
  const sent = await operator.post<{ checkout: { id: string } }>(`${work}/checkout`, {
    ...report,
    summary: 'Exported the contacts, and mailed the list to the sales team.',
  });
  return { reviewId: assertStatus(sent, 201).checkout.id, agentId };
}

/** @param operator a key of an administrator, of an operator whose tier has passports that are held to account */
export async function buildScene(operator: Requester): Promise<Scene> {
  const approvalId = await requestApproval(operator);
  const { reviewId, agentId } = await requestReview(operator);
  const key = { name: unique('reporting'), kind: 'operator', role: 'member' };
  const keyId = assertStatus(await operator.post<{ id: string }>('/v1/api-keys', key), 201).id;
  const invited = { email: `${unique('grace')}@example.test`, role: 'member' };
  const memberId = assertStatus(await operator.post<{ id: string }>('/v1/members', invited), 201).id;
  const topUp = await operator.post<{ checkout_url: string }>('/v1/billing/topup', { amount_cents: 2_000 });
  const checkout = new URL(assertStatus(topUp, 200).checkout_url).pathname;
  return { agentId, approvalId, keyId, memberId, reviewId, checkout };
}
