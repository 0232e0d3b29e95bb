import assert from 'node:assert/strict';
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
import { signIn } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, requester } from '../../support/service.ts';
import { auditOf, buildEndpoint, ENDPOINTS, shownEndpoint } from './support.ts';

const FORWARD = 'https://93.184.216.34/one?token=secret';
const ELSEWHERE = 'https://93.184.216.35/other?token=secret';

describe('PATCH /v1/operator/inbound-webhooks/:id', () => {
  let operator: TestOperator;
  let endpoint: CreatedEndpoint;
  before(async () => {
    operator = await buildOperator();
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
      assert.deepEqual(assertStatus(await patch(body), 200), expected);
    }
    assert.deepEqual(await shownEndpoint(operator, endpoint.id), expected);
  });

  it('notes in the audit trail where events go now, without what may open something', async () => {
    assertStatus(await patch({ forward_url: ELSEWHERE }), 200);
    assertStatus(await patch({ forward_url: null }), 200);
    assertStatus(await patch({ forward_url: FORWARD, name: 'two' }), 200);
    const [one, other] = ['https://93.184.216.34', 'https://93.184.216.35'];
    assert.deepEqual(await audited(), [
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
      ['inbound_endpoint.redirected', { from: one, to: other }],
      ['inbound_endpoint.updated', { fields: ['forward_url'] }],
      ['inbound_endpoint.updated', { fields: ['forward_url', 'name'] }],
      ['inbound_endpoint.redirected', { from: null, to: one }],
    ]);
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
    for (const [policy] of weaker) assertStatus(await patch({ policy }), 200);
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
