import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { CreatedEndpoint, Sample } from '../../../src/inbound/endpoints/schema.ts';
import { verifySignature } from '../../../src/inbound/providers/verify-signature.ts';
import {
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import { auditOf, buildEndpoint, ENDPOINTS, mailgunKey, svixSecret } from './support.ts';

const run = promisify(execFile);

describe('POST /v1/operator/inbound-webhooks/:id/sample', () => {
  let operator: TestOperator;
  let endpoint: CreatedEndpoint;
  before(async () => {
    operator = await buildOperator();
    endpoint = await buildEndpoint(operator);
  });

  const sample = (kind: unknown, by: Pick<TestOperator, 'post'> = operator, { id }: { id: string } = endpoint) =>
    by.post<Sample>(`${ENDPOINTS}/${id}/sample`, { kind });
  const verify = ({ provider, secret }: CreatedEndpoint, headers: NodeJS.Dict<string[]>, body: Buffer) =>
    verifySignature({ provider, headers, body, mailgun: () => null, secrets: [secret], now: new Date() });

  it('requires authentication', async () => {
    assertProblem(await sample('harmless', anonymous()), 'UNAUTHENTICATED');
  });

  for (const provider of ['generic', 'mail_provider'] as const) {
    for (const kind of ['harmless', 'hostile'] as const) {
      it(`is signed in every way that an endpoint of ${provider} takes (${kind})`, async () => {
        const made = await buildEndpoint(operator, { provider });
        const { headers, body } = assertStatus(await sample(kind, operator, made), 200);
        const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
        const { 'x-service-signature': hex, ...standard } = lower;
        const byStandard = verify(made, standard, Buffer.from(body));
        assert(byStandard.ok && byStandard.scheme === 'standard_webhooks');
        const byHex = verify(made, { 'x-service-signature': hex }, Buffer.from(body));
        assert(byHex.ok && byHex.scheme === 'hex');
        assert.equal(/ignore all previous instructions/i.test(body), kind === 'hostile');
        assert.equal(typeof JSON.parse(body), 'object');
      });
    }
  }

  it('is signed with the secret that a provider made, in the ways that it keys', async () => {
    for (const [secret, scheme] of [
      [mailgunKey(), 'hex'],
      [svixSecret(), 'standard_webhooks'],
    ] as const) {
      const made = await buildEndpoint(operator, { provider: 'mail_provider', secret });
      const { headers, body } = assertStatus(await sample('harmless', operator, made), 200);
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
      const verified = verify(made, lower, Buffer.from(body));
      assert(verified.ok && verified.scheme === scheme);
    }
  });

  it('is another event each time', async () => {
    const [one, other] = [assertStatus(await sample('harmless'), 200), assertStatus(await sample('harmless'), 200)];
    assert.notEqual(one.headers['webhook-id'], other.headers['webhook-id']);
    assert.notEqual(one.body, other.body);
  });

  it('has a command that sends exactly this to the address of the endpoint', async () => {
    const { headers, body: sent, curl } = assertStatus(await sample('hostile'), 200);
    assert(curl.includes(`'${endpoint.receiver_url}'`));
    let arrived: { url?: string; headers: NodeJS.Dict<string[]>; body: Buffer } | undefined;
    const take = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
      const body = Buffer.concat(await request.toArray());
      arrived = { url: request.url ?? '', headers: request.headersDistinct, body };
      answer.end();
    };
    const server = createServer((request, answer) => void take(request, answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await run('sh', ['-c', curl.replace(new URL(endpoint.receiver_url).origin, own)]);
    } finally {
      server.close();
    }
    assert(arrived !== undefined);
    assert.equal(arrived.url, new URL(endpoint.receiver_url).pathname);
    assert.equal(arrived.body.toString(), sent);
    for (const [name, value] of Object.entries(headers)) assert.deepEqual(arrived.headers[name.toLowerCase()], [value]);
    assert.equal(verify(endpoint, arrived.headers, arrived.body).ok, true);
  });

  it('is noted in the audit trail', async () => {
    const made = await buildEndpoint(operator);
    assertStatus(await sample('hostile', operator, made), 200);
    const [, event] = await auditOf(made.id);
    assert.deepEqual([event?.action, event?.detail], ['inbound_endpoint.sample_made', { kind: 'hostile' }]);
  });

  it('refuses another kind', async () => {
    assertProblem(await sample('evil'), 'VALIDATION_ERROR');
    assertProblem(await sample(undefined), 'VALIDATION_ERROR');
  });

  it('is 410 once the endpoint is revoked, and 404 for one of another operator', async () => {
    const made = await buildEndpoint(operator);
    assertProblem(await sample('harmless', await buildOperator(), made), 'NOT_FOUND');
    assertStatus(await operator.delete(`${ENDPOINTS}/${made.id}`), 200);
    assertProblem(await sample('harmless', operator, made), 'ENDPOINT_REVOKED');
  });

  it('is for administrators', async () => {
    const key = await buildAgentKey(operator, endpoint.agent_id);
    assertProblem(await sample('harmless', key), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await sample('harmless', await buildMemberKey(operator)), 'ADMIN_REQUIRED');
    assertProblem(await sample('harmless', await buildPartner(operator)), 'PARTNER_SCOPE');
  });
});
