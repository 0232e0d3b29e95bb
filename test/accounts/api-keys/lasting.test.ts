import assert from 'node:assert/strict';
import type { ApiKey, CreatedApiKey } from '../../../src/accounts/api-keys/schema.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { openIssuer, openShellFor } from '../../http/auth/support/issuer.ts';
import { accountRoutes } from '../../../src/accounts/routes.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, requester, type Reply, type Requester } from '../../support/service.ts';

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

describe('A key that a key or a token makes', () => {
  let operator: TestOperator;
  let owner: Person;
  let end: string;
  let maker: Requester;
  before(async () => {
    operator = await buildOperator();
    owner = await signIn(operator.email);
    end = inSeconds(600);
    const made = await make(operator, { expires_at: end });
    maker = requester(assertStatus(made, 201).key);
  });

  const make = (by: Requester, body: Record<string, unknown> = {}, headers = {}): Promise<Reply<CreatedApiKey>> =>
    by.post<CreatedApiKey>('/v1/api-keys', { name: unique('key'), kind: 'operator', role: 'admin', ...body }, headers);
  const refused = (reply: Reply<CreatedApiKey>): string => {
    assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
    return refusedWith(reply).approval_id;
  };

  it('lasts as long as its maker at most', async () => {
    for (const expires of [end, inSeconds(60)])
      assert.equal(assertStatus(await make(maker, { expires_at: expires }), 201).expires_at, expires);
    for (const body of [{}, { expires_at: inSeconds(601) }, { expires_at: '2099-01-01T00:00:00Z' }])
      refused(await make(maker, body));
  });

  it('of an agent or a member does not last longer either', async () => {
    const { id } = await buildAgent(operator);
    const body = { name: unique('key'), kind: 'agent', agent_id: id };
    assertProblem(await maker.post('/v1/api-keys', body), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertStatus(await maker.post('/v1/api-keys', { ...body, expires_at: end }), 201);
    refused(await make(maker, { role: 'member' }));
  });

  it('lasts longer where a person has approved it, once', async () => {
    const body = { name: 'for ever', kind: 'operator', role: 'admin' };
    const id = refused(await make(maker, body));
    assertStatus(await approve(owner, id), 200);
    const made = assertStatus(await make(maker, body, withApproval(id)), 201);
    assert.equal(made.expires_at, null);
    refused(await make(maker, body, withApproval(id)));
  });

  it('lasts longer for the credential that asked for it alone', async () => {
    const body = { name: 'wanted by two', kind: 'operator', role: 'admin' };
    const other = requester(assertStatus(await make(operator, { expires_at: end }), 201).key);
    const id = refused(await make(maker, body));
    assertStatus(await approve(owner, id), 200);
    const asked = await make(other, body, withApproval(id));
    assert.notEqual(refused(asked), id, 'a person looks at who gets the secret');
    assert.equal(refusedWith(asked).approval_status, 'other_request');
    assertStatus(await make(maker, body, withApproval(id)), 201);
  });

  it('lasts as it likes where its maker does not end, or a person makes it', async () => {
    assert.equal(assertStatus(await make(operator), 201).expires_at, null);
    assert.equal(assertStatus(await make(owner), 201).expires_at, null);
  });

  it('names who made it', async () => {
    const { id: own } = assertStatus(await make(owner), 201);
    const shown = assertStatus(await operator.get<ApiKey>(`/v1/api-keys/${own}`), 200);
    assert.match(shown.created_by ?? '', /^mem_/);
    const child = assertStatus(await make(maker, { expires_at: end }), 201);
    assert.match(child.created_by ?? '', /^key_/);
  });

  it('does not outlast an access token', async () => {
    const issuer = await openIssuer();
    const shell = await openShellFor(issuer, accountRoutes);
    try {
      const exp = Math.floor(Date.now() / 1_000) + 300;
      const token = await issuer.token({ operator_id: operator.operatorId, scope: 'admin', exp });
      const bearer = shell.as(token);
      refused(await make(bearer));
      refused(await make(bearer, { expires_at: new Date((exp + 1) * 1_000).toISOString() }));
      const made = assertStatus(await make(bearer, { expires_at: new Date(exp * 1_000).toISOString() }), 201);
      assert.equal(made.created_by, 'oauth:robot-7');
    } finally {
      await shell.close();
      await issuer.close();
    }
  });
});
