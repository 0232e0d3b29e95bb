import assert from 'node:assert/strict';
import { insertAgent, insertKey, insertOperator } from '../../http/support/shell.ts';
import { assertProblem, assertStatus, type Requester } from '../../support/service.ts';
import { newPassport, ownServices, type OwnService, type OwnServices } from '../own-service.ts';
import { SCOPE } from '../tokens.ts';

const PATH = '/v1/passports/introspect';

describe(`POST ${PATH}`, () => {
  let services: OwnServices;
  let own: OwnService;
  let operator: Requester;
  let agent: Requester;

  before(async () => {
    services = await ownServices();
    own = await services.open();
    const operatorId = await insertOperator(own.context);
    operator = own.as((await insertKey(own.context, { operatorId, role: 'member' })).secret);
    const agentId = await insertAgent(own.context, operatorId);
    agent = own.as((await insertKey(own.context, { operatorId, agentId })).secret);
  });
  after(() => services.close());

  it('requires authentication, and no agent key', async () => {
    assertProblem(await own.anonymous.post(PATH, { token: '' }), 'UNAUTHENTICATED');
    assertProblem(await agent.post(PATH, { token: '' }), 'OPERATOR_SCOPE_REQUIRED');
  });

  it('shows the members of RFC 7662 and the claims of a passport that counts, no matter who its operator is', async () => {
    const scoped = [SCOPE, { ...SCOPE, service_id: 'gitlab', scopes: ['repo:read', 'repo:write'] }];
    const { token, payload } = await newPassport(own, { svcns: { services: scoped } });
    const { iss, sub, iat, exp, jti, svcns } = payload;
    const expected = {
      active: true,
      iss,
      sub,
      iat,
      exp,
      jti,
      client_id: sub,
      scope: 'repo:read repo:write',
      token_type: 'Bearer',
      svcns,
      authority_refs: [],
      budget: null,
    };
    assert.deepEqual(assertStatus(await operator.post(PATH, { token }), 200), expected);
    assert.deepEqual(assertStatus(await own.platform.post(PATH, { token }), 200), expected);
  });

  it('shows the audience of a passport that has one, as `aud`', async () => {
    const { token } = await newPassport(own, { aud: ['github'] });
    assert.deepEqual(assertStatus(await operator.post<{ aud?: string[] }>(PATH, { token }), 200).aud, ['github']);
  });

  it('accepts a form, as RFC 7662 has it', async () => {
    const { token, payload } = await newPassport(own);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = assertStatus(
      await operator.post(PATH, new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(), form),
      200,
    );
    assert.equal(answer.jti, payload.jti);
    assertProblem(await operator.post(PATH, 'token=a&token=b', form), 'VALIDATION_ERROR', 'token');
    assertProblem(await operator.post(PATH, 'token_type_hint=a', form), 'VALIDATION_ERROR', 'token');
    assertProblem(await operator.post(PATH, 'token=%ff', form), 'VALIDATION_ERROR', 'token');
    assertProblem(await operator.post(PATH, 'token=a&color=red', form), 'VALIDATION_ERROR', 'color');
    assertProblem(await operator.post(PATH, `token=a${'&'.repeat(200_000)}`, form), 'VALIDATION_ERROR', 'body');
    assertProblem(await operator.post('/v1/agents', 'name=a', form), 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('answers only active: false for what does not count, no matter what is wrong', async () => {
    const tokens = [
      '',
      'a.b.c',
      'x'.repeat(270_000),
      (await newPassport(own, { revoked: 'itself' })).token,
      (await newPassport(own, { revoked: 'by an ancestor' })).token,
      (await newPassport(own, { ttl: -1 })).token,
    ];
    for (const token of tokens)
      assert.deepEqual(assertStatus(await operator.post(PATH, { token }), 200), { active: false });
  });

  it('refuses a body without a token, with one that is no text, and with unknown members', async () => {
    assertProblem(await operator.post(PATH), 'VALIDATION_ERROR', 'token');
    assertProblem(await operator.post(PATH, { token: 7 }), 'VALIDATION_ERROR', 'token');
    assertProblem(await operator.post(PATH, { token: '', hint: 'x' }), 'VALIDATION_ERROR', 'hint');
  });

  it('ignores an Idempotency-Key: it changes nothing', async () => {
    const { token } = await newPassport(own);
    const key = { 'idempotency-key': 'introspect' };
    assert.equal(assertStatus(await operator.post(PATH, { token }, key), 200).active, true);
    const other = await operator.post(PATH, { token: 'a.b.c' }, key);
    assert.equal(assertStatus(other, 200).active, false);
    assert.equal(other.headers.get('idempotency-replayed'), null);
    assert.equal(
      assertStatus(await operator.post(PATH, { token }, { 'idempotency-key': 'é'.repeat(300) }), 200).active,
      true,
    );
  });
});
