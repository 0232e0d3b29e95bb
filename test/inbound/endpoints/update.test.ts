import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { CreatedEndpoint, Endpoint } from '../../../src/inbound/endpoints/schema.ts';
import { issued } from '../../http/auth/support/belongings.ts';
import {
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { approveByHand, refusedWith, withApproval } from '../../governance/support.ts';
import { signIn, type Person } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, requester } from '../../support/service.ts';
import { auditOf, buildEndpoint, ENDPOINTS, shownEndpoint } from './support.ts';

const FORWARD = 'https://93.184.216.34/one?token=secret';
const ELSEWHERE = 'https://93.184.216.35/other?token=secret';
/** On a shared origin this is somebody else. */
const OTHER_PATH = 'https://93.184.216.34/two?token=secret';

describe('PATCH /v1/operator/inbound-webhooks/:id', () => {
  let operator: TestOperator;
  let person: Person;
  let endpoint: CreatedEndpoint;
  before(async () => {
    operator = await buildOperator();
    person = await signIn(operator.email);
  });
  beforeEach(async () => {
    endpoint = await buildEndpoint(operator, { forward_url: FORWARD, name: 'one' });
  });

  const patch = (body: unknown, by: Pick<TestOperator, 'patch'> = operator, headers?: Record<string, string>) =>
    by.patch<Endpoint>(`${ENDPOINTS}/${endpoint.id}`, body, headers);
  /** The audit events since the endpoint was made. */
  const audited = async () => (await auditOf(endpoint.id)).slice(1).map(({ action, detail }) => [action, detail]);

  it('requires authentication', async () => {
    assertProblem(await patch({ name: 'x' }, anonymous()), 'UNAUTHENTICATED');
  });

  it('changes what is named, and nothing else', async () => {
    const { secret: _secret, ...before } = endpoint;
    const steps: [body: Record<string, unknown>, changed: Partial<Endpoint>][] = [
      [{ name: 'two' }, { name: 'two' }],
      [{ policy: { block_at: 'low' } }, { policy: { block_at: 'low', mode: 'enforce' } }],
      [{ policy: { mode: 'shadow' } }, { policy: { block_at: 'low', mode: 'shadow' } }],
      [{ forward_url: ELSEWHERE }, { forward_url: ELSEWHERE }],
      [
        { name: null, forward_url: null },
        { name: null, forward_url: null },
      ],
    ];
    const expected: Endpoint = { ...before };
    for (const [body, changed] of steps) {
      Object.assign(expected, changed);
      assert.deepEqual(assertStatus(await patch(body, person), 200), expected);
    }
    assert.deepEqual(await shownEndpoint(operator, endpoint.id), expected);
  });

  it('notes in the audit trail where events go now, without what may open something', async () => {
    assertStatus(await patch({ forward_url: ELSEWHERE }, person), 200);
    assertStatus(await patch({ forward_url: null }, person), 200);
    assertStatus(await patch({ forward_url: FORWARD, name: 'two' }, person), 200);
    assertStatus(await patch({ forward_url: OTHER_PATH }, person), 200);
    assertStatus(await patch({ forward_url: OTHER_PATH }, person), 200);
    const [one, other, path] = [FORWARD, ELSEWHERE, OTHER_PATH].map((url) => ({
      origin: new URL(url).origin,
      sha256: hash('sha256', url),
    }));
    assert.notEqual(path?.sha256, one?.sha256);
    assert.deepEqual(await audited(), [
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
      ['inbound_endpoint.redirected', { from: one, to: other }],
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
      ['inbound_endpoint.updated', { fields: ['forward_url', 'name'] }],
      ['inbound_endpoint.redirected', { from: null, to: one }],
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
      ['inbound_endpoint.redirected', { from: one, to: path }],
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
    ]);
    assert.doesNotMatch(JSON.stringify(await audited()), /token=secret/);
  });

  it('notes in the audit trail what lets more pass', async () => {
    const weaker: [Record<string, unknown>, boolean][] = [
      [{ block_at: 'medium' }, false],
      [{ block_at: 'medium' }, false],
      [{ block_at: 'critical' }, true],
      [{ mode: 'shadow' }, true],
      [{ mode: 'shadow', block_at: 'low' }, false],
      [{ mode: 'enforce' }, false],
      [{ mode: 'shadow', block_at: 'high' }, true],
    ];
    for (const [policy] of weaker) assertStatus(await patch({ policy }, person), 200);
    const events = await audited();
    assert.deepEqual(
      events.map(([action]) => action),
      weaker.flatMap(([, weakens]) => ['inbound_endpoint.updated', ...(weakens ? ['inbound_endpoint.weakened'] : [])]),
    );
    assert.deepEqual(events.at(-1)?.[1], {
      was: { block_at: 'low', mode: 'enforce' },
      is: { block_at: 'high', mode: 'shadow' },
    });
  });

  for (const [what, body] of [
    ['a graver block_at', { policy: { block_at: 'critical' } }],
    ['mode shadow', { policy: { mode: 'shadow' } }],
    ['another origin', { forward_url: ELSEWHERE }],
    ['another path at the same origin', { forward_url: OTHER_PATH }],
    ['both', { forward_url: ELSEWHERE, policy: { mode: 'shadow' }, name: 'two' }],
  ] as const) {
    it(`needs a person for ${what}: a key is refused, and changes it with an approval, once`, async () => {
      const refused = await patch(body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      const { secret: _secret, ...before } = endpoint;
      assert.deepEqual(await shownEndpoint(operator, endpoint.id), before);
      const { approval_id: id } = refusedWith(refused);
      assertProblem(await patch(body, operator, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
      await approveByHand(id);
      assertStatus(await patch(body, operator, withApproval(id)), 200);
      const { forward_url } = await shownEndpoint(operator, endpoint.id);
      assert.equal(forward_url, 'forward_url' in body ? body.forward_url : FORWARD);
      assertStatus(await patch({ forward_url: FORWARD, policy: { block_at: 'high', mode: 'enforce' } }, person), 200);
      assertProblem(await patch(body, operator, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
    });
  }

  it('needs a person for the first forward_url too, and for the same one once it was cleared', async () => {
    assertStatus(await patch({ forward_url: null }), 200);
    assertProblem(await patch({ forward_url: FORWARD }), 'GOVERNANCE_APPROVAL_REQUIRED');
  });

  it('shows the person what there was, and takes the approval for nothing else', async () => {
    const refused = await patch({ policy: { mode: 'shadow' } });
    const { approval_id: id } = refusedWith(refused);
    const shown = await person.get<{ action: string; subject: unknown }>(`/v1/governance/approvals/${id}`);
    const { action, subject } = assertStatus(shown, 200);
    assert.equal(action, 'inbound_endpoint.loosened');
    assert.deepEqual(subject, {
      id: endpoint.id,
      name: 'one',
      provider: 'generic',
      agent_id: endpoint.agent_id,
      forward_url: FORWARD,
      policy: { block_at: 'high', mode: 'enforce' },
    });
    await approveByHand(id);
    assertStatus(await patch({ forward_url: null }), 200);
    const again = await patch({ policy: { mode: 'shadow' } }, operator, withApproval(id));
    assertProblem(again, 'GOVERNANCE_APPROVAL_REQUIRED');
    assert.equal(refusedWith(again).approval_status, 'subject_changed');
  });

  it('needs nobody for a stricter policy, no forward_url, and what changes nothing', async () => {
    for (const body of [
      { policy: { block_at: 'high', mode: 'enforce' } },
      { policy: { block_at: 'low' } },
      { forward_url: FORWARD },
      { forward_url: FORWARD, name: 'two' },
      { forward_url: null },
    ])
      assertStatus(await patch(body), 200);
  });

  it('refuses a forward_url as creation does, and changes nothing', async () => {
    for (const forward_url of ['https://10.0.0.1/x', 'http://93.184.216.34/x', 'https://a.internal/x'])
      assertProblem(await patch({ forward_url, name: 'two' }), 'FORWARD_URL_FORBIDDEN');
    const { name, forward_url } = await shownEndpoint(operator, endpoint.id);
    assert.deepEqual({ name, forward_url }, { name: 'one', forward_url: FORWARD });
  });

  for (const [what, body] of [
    ['nothing', {}],
    ['no change of the policy', { policy: {} }],
    ['a policy of null', { policy: null }],
    ['another provider', { provider: 'mail_provider' }],
    ['another agent', { agent_id: 'ag_1' }],
    ['a secret', { secret: 'whsec_mine' }],
    ['a severity that there is not', { policy: { block_at: 'none' } }],
  ] as [string, unknown][]) {
    it(`refuses ${what}`, async () => {
      assertProblem(await patch(body), 'VALIDATION_ERROR');
    });
  }

  it('is replayed under its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await patch({ name: 'two' }, operator, headers), 200);
    assertStatus(await patch({ name: 'three' }), 200);
    assert.deepEqual(assertStatus(await patch({ name: 'two' }, operator, headers), 200), first);
    assert.equal((await shownEndpoint(operator, endpoint.id)).name, 'three');
  });

  it('is 410 once the endpoint is revoked, and 404 for one of another operator', async () => {
    assertProblem(await patch({ name: 'x' }, await buildOperator()), 'NOT_FOUND');
    assertStatus(await operator.delete(`${ENDPOINTS}/${endpoint.id}`), 200);
    assertProblem(await patch({ name: 'x' }), 'ENDPOINT_REVOKED');
  });

  it('is for administrators, with a key or signed in', async () => {
    assertStatus(await patch({ name: 'x' }, await signIn(operator.email)), 200);
    const { token } = await issued(operator, endpoint.agent_id);
    assertProblem(
      await patch({ name: 'x' }, await buildAgentKey(operator, endpoint.agent_id)),
      'AGENT_CREDENTIAL_FORBIDDEN',
    );
    assertProblem(await patch({ name: 'x' }, requester(token)), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await patch({ name: 'x' }, await buildMemberKey(operator)), 'ADMIN_REQUIRED');
    assertProblem(await patch({ name: 'x' }, await buildPartner(operator)), 'PARTNER_SCOPE');
  });
});
