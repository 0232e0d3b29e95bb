import assert from 'node:assert/strict';
import type { CreatedPartnerGrant, PartnerGrant } from '../../../src/accounts/partner-grants/schema.ts';
import type { ErrorCode } from '../../../src/errors/codes.ts';
import { tablesHolding } from '../api-keys/secrets.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { signIn } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, requester, type Requester } from '../../support/service.ts';

const GRANTS = '/v1/partner-grants';
const hence = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

describe('POST /v1/partner-grants', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  const create = (body: Record<string, unknown> = {}, by: Requester = operator, headers?: Record<string, string>) =>
    by.post<CreatedPartnerGrant>(GRANTS, { name: 'Example Ltd', providers: ['mail_provider'], ...body }, headers);

  it('requires authentication', async () => {
    assertProblem(await create({}, anonymous()), 'UNAUTHENTICATED');
  });

  it('makes a grant, and shows the key of the partner once', async () => {
    const reply = await create({ providers: ['generic', 'mail_provider'] });
    const { id, api_key: key, api_key_id: keyId, created_at: at, ...rest } = assertStatus(reply, 201);
    assert.match(id, /^pgr_/);
    assert.match(key, /^svc_live_/);
    assert.deepEqual(rest, {
      operator_id: operator.operatorId,
      name: 'Example Ltd',
      providers: ['generic', 'mail_provider'],
      expires_at: null,
    });
    assert.equal(reply.headers.get('location'), `${GRANTS}/${id}`);
    const { expires_at: _end, ...shown } = rest;
    assert.deepEqual(assertStatus(await operator.get(`${GRANTS}/${id}`), 200), { id, created_at: at, ...shown });
    const listed = assertStatus(await operator.get(`/v1/api-keys/${keyId}`), 200);
    assert.deepEqual(
      [listed['kind'], listed['partner_grant_id'], listed['role'], listed['agent_id'], listed['name']],
      ['partner', id, null, null, 'Example Ltd'],
    );
    assert.deepEqual(await tablesHolding(key), []);
  });

  it('shows the same key again under its Idempotency-Key, to the credential that sent it', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await create({}, operator, headers), 201);
    assert.deepEqual(assertStatus(await create({}, operator, headers), 201), first);
    const other = { name: unique('key'), kind: 'operator', role: 'admin' };
    const { key } = assertStatus(await operator.post<{ key: string }>('/v1/api-keys', other), 201);
    assertProblem(await create({}, requester(key), headers), 'IDEMPOTENCY_KEY_REUSED');
  });

  for (const [what, body] of [
    ['no name', { name: undefined }],
    ['no provider', { providers: [] }],
    ['a provider that there is not', { providers: ['stripe'] }],
    ['a provider twice', { providers: ['generic', 'generic'] }],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an unknown property', { role: 'admin' }],
  ] as [string, Record<string, unknown>][]) {
    it(`refuses ${what}`, async () => {
      assertProblem(await create(body), 'VALIDATION_ERROR');
    });
  }

  it('needs a person where the key would outlast the one that makes it', async () => {
    const end = hence(3_600);
    const { key } = assertStatus(
      await operator.post<{ key: string }>('/v1/api-keys', {
        name: unique('short'),
        kind: 'operator',
        role: 'admin',
        expires_at: end,
      }),
      201,
    );
    const short = requester(key);
    assert.equal(assertStatus(await create({ expires_at: end }, short), 201).expires_at, end);
    const body = { name: 'lasting' };
    const { approval_id } = refusedWith(await create(body, short));
    assertProblem(await create({ expires_at: hence(7_200) }, short), 'GOVERNANCE_APPROVAL_REQUIRED');
    const owner = await signIn(operator.email);
    await approve(owner, approval_id);
    assertStatus(await create(body, short, withApproval(approval_id)), 201);
    assertStatus(await create({}, owner), 201);
  });

  it('is for administrators, as reading and deleting them is', async () => {
    const agent = await buildAgent(operator);
    const { grantId, ...partner } = await buildPartner(operator);
    const refused: [Requester, ErrorCode][] = [
      [await buildMemberKey(operator), 'ADMIN_REQUIRED'],
      [await buildAgentKey(operator, agent.id), 'AGENT_CREDENTIAL_FORBIDDEN'],
      [partner, 'PARTNER_SCOPE'],
    ];
    for (const [by, code] of refused) {
      assertProblem(await create({}, by), code);
      assertProblem(await by.get(GRANTS), code);
      assertProblem(await by.get(`${GRANTS}/${grantId}`), code);
      assertProblem(await by.delete(`${GRANTS}/${grantId}`), code);
    }
  });
});

describe('GET /v1/partner-grants', () => {
  it('lists the grants of the operator, newest first, without keys', async () => {
    const operator = await buildOperator();
    await buildPartner(await buildOperator());
    const made = [await buildPartner(operator), await buildPartner(operator), await buildPartner(operator)];
    const reply = await operator.get<{ partner_grants: PartnerGrant[]; total: number }>(`${GRANTS}?limit=2`);
    const { partner_grants: grants, ...rest } = assertStatus(reply, 200);
    assert.deepEqual(rest, { total: 3, limit: 2, offset: 0 });
    assert.deepEqual(
      grants.map(({ id }) => id),
      [made[2]?.grantId, made[1]?.grantId],
    );
    assert(!reply.text.includes('svc_live_'));
  });
});

describe('DELETE /v1/partner-grants/:id', () => {
  it('ends every key of the grant; its agents and endpoints stay with the operator', async () => {
    const operator = await buildOperator();
    const partner = await buildPartner(operator);
    const second = { name: unique('second'), kind: 'partner', partner_grant_id: partner.grantId };
    const { key } = assertStatus(await operator.post<{ key: string }>('/v1/api-keys', second), 201);
    const agent = await buildAgent(partner);
    const body = { provider: 'generic', agent_id: agent.id };
    const { id: endpoint } = assertStatus(
      await requester(key).post<{ id: string }>('/v1/operator/inbound-webhooks', body),
      201,
    );
    assert.deepEqual(assertStatus(await operator.delete(`${GRANTS}/${partner.grantId}`), 200), { deleted: true });
    for (const by of [partner, requester(key)]) assertProblem(await by.get('/v1/agents'), 'UNAUTHENTICATED');
    const shown = assertStatus(await operator.get(`/v1/agents/${agent.id}`), 200);
    assert.equal(shown['partner_grant_id'], partner.grantId);
    const left = assertStatus(await operator.get(`/v1/operator/inbound-webhooks/${endpoint}`), 200);
    assert.deepEqual([left['status'], left['partner_grant_id']], ['active', partner.grantId]);
    assertProblem(await operator.get(`${GRANTS}/${partner.grantId}`), 'NOT_FOUND');
    assertProblem(await operator.delete(`${GRANTS}/${partner.grantId}`), 'NOT_FOUND');
    assertProblem(await operator.post('/v1/api-keys', { ...second, name: 'third' }), 'VALIDATION_ERROR');
    assert.equal(assertStatus(await operator.get<{ total: number }>(GRANTS), 200).total, 0);
  });
});
