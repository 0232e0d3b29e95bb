import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buildAgent, buildOperator, buildPartner, suspend, type TestOperator } from '../support/factories.ts';
import { assertStatus, service } from '../support/service.ts';
import { issued } from '../http/auth/support/belongings.ts';
import { sendModern, sendRaw } from './support/clients.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** The status of a ping with headers that fetch does not let a caller choose. */
function pingFrom(headers: Record<string, string>, key: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  request(
    `${service().baseUrl}/mcp`,
    { method: 'POST', headers: { ...all, authorization: `Bearer ${key}` } },
    (response) => response.resume().on('end', () => resolve(response.statusCode)),
  )
    .on('error', reject)
    .end(JSON.stringify(ping));
  return promise;
}

describe('POST /mcp', () => {
  let operator: TestOperator;
  let key: string;
  before(async () => {
    operator = await buildOperator();
    key = operator.key ?? '';
  });

  it('requires authentication, and says how in WWW-Authenticate', async () => {
    const without = await sendRaw({ key: null, body: ping });
    assert.equal(without.status, 401);
    assert.equal(without.headers.get('www-authenticate'), 'Bearer realm="carnet"');
    assert.equal(without.body.error?.code, -32_000);
    assert.equal(without.body.error?.data?.code, 'UNAUTHENTICATED');
    const wrong = await sendRaw({ key: 'svc_live_nobody', body: ping });
    assert.equal(wrong.status, 401);
    assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
  });

  it('refuses a passport that was revoked or is of another audience', async () => {
    const agent = await buildAgent(operator);
    const { token, jti } = await issued(operator, agent.id);
    assert.equal((await sendRaw({ key: token, body: ping })).status, 200);
    assertStatus(await operator.post('/v1/passports/revoke', { jti }), 200);
    assert.equal((await sendRaw({ key: token, body: ping })).status, 401);
    const [head = '', , signature = ''] = token.split('.');
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = (changes: object): string =>
      [head, Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url'), signature].join('.');
    for (const changes of [{ aud: 'elsewhere' }, { exp: 1 }, { agent_id: 'ag_1' }])
      assert.equal((await sendRaw({ key: forged(changes), body: ping })).status, 401);
  });

  it('leaves a suspended operator outside, and a partner with tools that refuse', async () => {
    const owner = await buildOperator();
    const partner = await buildPartner(owner);
    const tool = await sendModern(partner.key, { method: 'tools/call', params: { name: 'balance', arguments: {} } });
    assert.match(JSON.stringify(tool.body.result), /PARTNER_SCOPE/);
    await suspend(owner.operatorId);
    const outside = await sendRaw({ key: owner.key, body: ping });
    assert.deepEqual([outside.status, outside.body.error?.data?.code], [403, 'OPERATOR_SUSPENDED']);
  });

  it('refuses pages of other sites by Origin, and names that lead here by Host', async () => {
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1']) {
      const refused = await sendRaw({ key: null, body: ping, headers: { origin } });
      assert.deepEqual([refused.status, refused.body.error?.data?.code], [403, 'ORIGIN_FORBIDDEN'], origin);
    }
    const { port } = new URL(service().baseUrl);
    assert.equal(await pingFrom({ host: `evil.example:${port}` }, key), 403);
    assert.equal(await pingFrom({ host: `localhost:${port}` }, key), 200);
    assert.equal(await pingFrom({ host: 'carnet:3000' }, key), 200);
    assert.equal(await pingFrom({ host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` }, key), 200);
  });

  it('has no sessions: GET and DELETE are 405', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await sendRaw({ key, body: undefined, method });
      assert.equal(refused.status, 405, method);
      assert.equal(refused.headers.get('allow'), 'POST, OPTIONS');
    }
    assert.equal((await sendRaw({ key, body: ping })).headers.get('mcp-session-id'), null);
  });

  it('refuses what is no single message of JSON', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    for (const body of ['{', '{"a":1,"a":2}', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`]) {
      const refused = await sendRaw({ key, body });
      assert.deepEqual([refused.status, refused.body.error?.code], [400, -32_700], body.slice(0, 40));
      assert.equal(refused.headers.get('content-type'), 'application/json');
    }
    const many = await sendRaw({ key, body: `[${'1,'.repeat(60_000)}1]` });
    assert.equal(many.body.error?.code, -32_700);
    for (const body of [[], [ping], [ping, ping], 5, 'null', {}, { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
      const refused = await sendRaw({ key, body });
      assert.deepEqual([refused.status, refused.body.error?.code], [400, -32_600], JSON.stringify(body));
    }
    const giant = await sendRaw({ key, body: `{"x":"${'x'.repeat(1_100_000)}"}` });
    assert.deepEqual([giant.status, giant.body.error?.data?.code], [413, 'BODY_TOO_LARGE']);
    const text = await sendRaw({ key, body: ping, headers: { 'content-type': 'text/plain' } });
    assert.deepEqual([text.status, text.body.error?.data?.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    const one = await sendRaw({ key, body: ping, headers: { accept: 'application/json' } });
    assert.equal(one.status, 406);
  });

  it('knows no tool but those it lists, no matter by which name', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', 'toString', `x_${'0'.repeat(8)}`, 'x'.repeat(100_000)]) {
      const answer = await sendRaw({
        key,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
      });
      assert.deepEqual([answer.status, answer.body.error?.code], [200, -32_602], name.slice(0, 40));
      assert(answer.text.length < 400, 'a name is cut where it is repeated');
    }
    const params = { name: 'get_skill', arguments: JSON.parse('{"skill_id":"skl_1","__proto__":{"x":1}}') as object };
    const polluted = await sendRaw({ key, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
    assert.match(polluted.text, /VALIDATION_ERROR|NOT_FOUND/);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  it('refuses every cursor, since all tools are on one page', async () => {
    for (const cursor of ['', 'x', 'x'.repeat(500_000)]) {
      const answer = await sendModern(key, { method: 'tools/list', params: { cursor } });
      assert.equal(answer.body.error?.code, -32_602);
      assert(answer.text.length < 400);
    }
  });

  it('announces nothing, and knows no method of servers that do', async () => {
    const params = { notifications: { toolsListChanged: true } };
    const listened = await sendModern(key, { method: 'subscriptions/listen', params });
    assert.deepEqual([listened.status, listened.body.error?.code], [404, -32_601]);
    for (const method of ['resources/list', 'prompts/list', 'logging/setLevel', '__proto__'])
      assert.equal((await sendModern(key, { method })).body.error?.code, -32_601, method);
    const noted = await sendRaw({ key, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    assert.deepEqual([noted.status, noted.text], [202, '']);
  });

  it('refuses headers that say something else than the message', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'balance', arguments: {}, _meta: meta };
    const answer = await sendRaw({
      key,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'statement' },
    });
    assert.deepEqual([answer.status, answer.body.error?.code], [400, -32_020]);
  });

  it('counts against the limits of the credential, and says how much is left', async () => {
    const answer = await sendRaw({ key, body: ping });
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"key"/);
  });

  it('shows nothing of other operators', async () => {
    const [provider, other] = [await buildOperator(), await buildOperator()];
    const { id: skill } = assertStatus(
      await provider.post<{ id: string }>('/v1/skills', {
        name: 'own-skill',
        description: 'Own',
        version: '1.0.0',
        input_schema: { type: 'object' },
        output_schema: { type: 'object' },
        trust_level_required: 'L0',
      }),
      201,
    );
    const ordered = assertStatus(await operator.post<{ id: string }>(`/v1/skills/${skill}/invoke`, { input: {} }), 201);
    for (const name of ['get_invocation', 'cancel_invocation']) {
      const params = { name, arguments: { invocation_id: ordered.id } };
      const answer = await sendModern(other.key, { method: 'tools/call', params });
      assert.match(JSON.stringify(answer.body.result), /NOT_FOUND/);
    }
    // The provider may read the work that it does, and learns nothing of the wallet of who pays.
    const params = { name: 'get_invocation', arguments: { invocation_id: ordered.id } };
    const seen = await sendModern(provider.key, { method: 'tools/call', params });
    assert.doesNotMatch(JSON.stringify(seen.body.result), /carnet\/(?:cost|held|available)/);
  });
});
