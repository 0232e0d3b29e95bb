import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { CreatedEndpoint, RotatedEndpointSecret } from '../../../src/inbound/endpoints/schema.ts';
import { tablesHolding } from '../../accounts/api-keys/secrets.ts';
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
import { anonymous, assertProblem, assertStatus, database, requester } from '../../support/service.ts';
import {
  auditOf,
  buildEndpoint,
  ENDPOINTS,
  mailgunKey,
  REFUSED_SECRETS,
  shownEndpoint,
  svixSecret,
} from './support.ts';

const DAY_MS = 86_400_000;

describe('POST /v1/operator/inbound-webhooks/:id/rotate-secret', () => {
  let operator: TestOperator;
  let person: Person;
  let endpoint: CreatedEndpoint;
  before(async () => {
    operator = await buildOperator();
    person = await signIn(operator.email);
  });
  beforeEach(async () => {
    endpoint = await buildEndpoint(operator);
  });

  const rotate = (body?: unknown, by: Pick<TestOperator, 'post'> = operator, headers?: Record<string, string>) =>
    by.post<RotatedEndpointSecret>(`${ENDPOINTS}/${endpoint.id}/rotate-secret`, body, headers);
  const sealed = async () => {
    const pool = await database();
    const Row = z.object({ secret: z.string(), old_secret: z.string().nullable() });
    return await pool.one(sql.type(Row)`select secret, old_secret from inbound_endpoints where id = ${endpoint.id}`);
  };

  it('requires authentication', async () => {
    assertProblem(await rotate({}, anonymous()), 'UNAUTHENTICATED');
  });

  it('gives another secret, and keeps the one before for a day', async () => {
    const before = await sealed();
    const { id, secret } = assertStatus(await rotate(), 200);
    assert.equal(id, endpoint.id);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(secret, endpoint.secret);
    assert.equal((await sealed()).old_secret, before.secret);
    const { old_secret_until: until } = await shownEndpoint(operator, id);
    assert(until !== null && Math.abs(Date.parse(until) - Date.now() - DAY_MS) < 60_000, String(until));
  });

  it('keeps one secret before the current one, and no more', async () => {
    assertStatus(await rotate({}), 200);
    const second = await sealed();
    assertStatus(await rotate({ immediate: false }), 200);
    assert.equal((await sealed()).old_secret, second.secret);
  });

  it('ends those before immediately where that is wanted', async () => {
    assertStatus(await rotate({}), 200);
    assertStatus(await rotate({ immediate: true }), 200);
    assert.equal((await sealed()).old_secret, null);
    assert.equal((await shownEndpoint(operator, endpoint.id)).old_secret_until, null);
    assert.deepEqual(
      (await auditOf(endpoint.id)).slice(1).map(({ action, detail }) => [action, detail]),
      [
        ['inbound_endpoint.secret_rotated', { immediate: false, chosen: false }],
        ['inbound_endpoint.secret_rotated', { immediate: true, chosen: false }],
      ],
    );
  });

  it('shows the same secret again under its Idempotency-Key, and keeps it nowhere else', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const [first, second] = [await rotate({}, operator, headers), await rotate({}, operator, headers)];
    assert.deepEqual(assertStatus(second, 200), assertStatus(first, 200));
    assert.deepEqual(await tablesHolding(first.body.secret), []);
  });

  it('takes the secret that the provider made, and keeps the one before for a day all the same', async () => {
    const before = await sealed();
    for (const [given, old] of [
      [mailgunKey(), before.secret],
      [svixSecret(), null],
    ] as const) {
      const immediate = old === null;
      assert.equal(assertStatus(await rotate({ secret: given, immediate }, person), 200).secret, given);
      assert.equal((await sealed()).old_secret, old);
      assert.deepEqual(await tablesHolding(given), []);
    }
    assert.deepEqual(
      (await auditOf(endpoint.id)).slice(1).map(({ detail }) => detail),
      [
        { immediate: false, chosen: true },
        { immediate: true, chosen: true },
      ],
    );
  });

  it('needs a person for a secret that a key chooses: refused, then made with an approval, once', async () => {
    for (const immediate of [false, true]) {
      const before = await sealed();
      const body = { secret: mailgunKey(), immediate };
      const refused = await rotate(body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.doesNotMatch(refused.text, new RegExp(body.secret));
      assert.deepEqual(await sealed(), before);
      const { approval_id: id } = refusedWith(refused);
      assert.deepEqual(await tablesHolding(body.secret), []);
      await approveByHand(id);
      assertProblem(
        await rotate({ ...body, secret: mailgunKey() }, operator, withApproval(id)),
        'GOVERNANCE_APPROVAL_REQUIRED',
      );
      assert.equal(assertStatus(await rotate(body, operator, withApproval(id)), 200).secret, body.secret);
      assertProblem(await rotate(body, operator, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
    }
  });

  for (const [what, secret] of REFUSED_SECRETS) {
    it(`refuses as a secret ${what}, and leaves the one there is`, async () => {
      const before = await sealed();
      const refused = await rotate({ secret });
      assertProblem(refused, 'VALIDATION_ERROR');
      assert.doesNotMatch(JSON.stringify(refused.body), /unknown_property/);
      assert.deepEqual(await sealed(), before);
    });
  }

  it('refuses what is no decision', async () => {
    assertProblem(await rotate({ immediate: 'yes' }), 'VALIDATION_ERROR');
    assertProblem(await rotate({ now: true }), 'VALIDATION_ERROR');
  });

  it('is 410 once the endpoint is revoked, and 404 for one of another operator', async () => {
    assertProblem(await rotate({}, await buildOperator()), 'NOT_FOUND');
    assertStatus(await operator.delete(`${ENDPOINTS}/${endpoint.id}`), 200);
    assertProblem(await rotate({}), 'ENDPOINT_REVOKED');
  });

  it('is for administrators', async () => {
    const { token } = await issued(operator, endpoint.agent_id);
    assertProblem(await rotate({}, await buildAgentKey(operator, endpoint.agent_id)), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await rotate({}, requester(token)), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await rotate({}, await buildMemberKey(operator)), 'ADMIN_REQUIRED');
    assertProblem(await rotate({}, await buildPartner(operator)), 'PARTNER_SCOPE');
  });
});
