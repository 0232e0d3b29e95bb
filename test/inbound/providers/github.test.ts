import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import { verifySignature } from '../../../src/inbound/providers/verify-signature.ts';
import { eventually } from '../../support/eventually.ts';
import { ENDPOINTS, buildEndpoint, shownEndpoint } from '../endpoints/support.ts';
import { HOSTILE } from '../support/endpoints.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { assertStatus } from '../../support/service.ts';
import type { CreatedEndpoint, Sample } from '../../../src/inbound/endpoints/schema.ts';

interface Sent {
  endpoint: CreatedEndpoint;
  body: string;
  id?: string;
  headers?: Record<string, string>;
}

interface Answer {
  http: number;
  event_id?: string;
  duplicate?: boolean;
  code?: string;
  verdict?: { verdict: string };
}

/** Signed by GitHub’s own library, as GitHub sends it, and a person sends it again while the service has no verdict yet. */
function deliver({ endpoint, body, id = randomUUID(), headers = {} }: Sent): Promise<Answer> {
  return eventually('an answer', async () => {
    const signature = await sign(endpoint.secret, body);
    const reply = await fetch(endpoint.receiver_url, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'issues',
        'X-GitHub-Delivery': id,
        'X-Hub-Signature-256': signature,
        ...headers,
      },
    });
    const answer = (await reply.json()) as Omit<Answer, 'http'>;
    return reply.status === 503 ? undefined : { ...answer, http: reply.status };
  });
}

const issue = (text: string): string =>
  JSON.stringify({ action: 'opened', issue: { title: 'It does not start', body: text }, sender: { login: 'octocat' } });

describe('The provider github', function () {
  this.timeout(120_000);
  let operator: TestOperator;
  let endpoint: CreatedEndpoint;
  before(async () => {
    operator = await buildOperator();
    endpoint = await buildEndpoint(operator, { provider: 'github' });
  });

  it('verifies the example of GitHub’s documentation', () => {
    const verify = (signature: string) =>
      verifySignature({
        provider: 'github',
        headers: { 'x-hub-signature-256': [signature] },
        body: Buffer.from('Hello, World!'),
        mailgun: () => null,
        secrets: ["It's a Secret to Everybody"],
        now: new Date(),
      });
    const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    assert.equal(verify(`sha256=${digest}`).ok, true);
    assert.equal(verify(`sha256=${digest.replace('7', '8')}`).ok, false);
  });

  it('takes no other signature', async () => {
    const body = issue('a');
    const digest = createHmac('sha256', endpoint.secret).update(body).digest('hex');
    const reply = await fetch(endpoint.receiver_url, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', 'x-service-signature': digest },
    });
    assert.equal(reply.status, 401);
  });

  const receivedAt = async ({ id }: CreatedEndpoint): Promise<number> =>
    (await shownEndpoint(operator, id)).counters.received;

  it('is one event for each delivery, which GitHub may send again', async () => {
    const own = await buildEndpoint(operator, { provider: 'github' });
    const [id, body] = [randomUUID(), issue(randomUUID())];
    const first = await deliver({ endpoint: own, body, id });
    const again = await deliver({ endpoint: own, body, id: id.toUpperCase() });
    assert.deepEqual([again.event_id, again.duplicate, await receivedAt(own)], [first.event_id, true, 1]);
    const other = await deliver({ endpoint: own, body: issue(randomUUID()) });
    assert.notEqual(other.event_id, first.event_id);
    assert.equal(await receivedAt(own), 2);
  });

  it('makes no second event of the same bytes under another id, which nobody signs', async () => {
    const own = await buildEndpoint(operator, { provider: 'github' });
    const body = issue(randomUUID());
    const first = await deliver({ endpoint: own, body });
    const other = await deliver({ endpoint: own, body });
    assert.deepEqual([other.event_id, other.duplicate, await receivedAt(own)], [first.event_id, true, 1]);
  });

  it('reads JSON in the field payload of a form', async () => {
    const form = (text: string) => ({
      endpoint,
      body: new URLSearchParams({ payload: issue(text) }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    assert.equal((await deliver(form(randomUUID()))).verdict?.verdict, 'clean');
    assert.equal((await deliver(form(HOSTILE))).verdict?.verdict, 'malicious');
    const none = await deliver({ ...form(''), body: 'a=b' });
    assert.deepEqual([none.http, none.code], [400, 'VALIDATION_ERROR']);
  });

  for (const [where, payload] of Object.entries({
    'the title of an issue': { issue: { title: HOSTILE } },
    'the text of a pull request': { pull_request: { body: HOSTILE } },
    'a comment': { comment: { body: HOSTILE } },
    'the message of a commit': { commits: [{ message: HOSTILE }] },
    'the name of a label': { label: { name: HOSTILE } },
    'a part of the text that GitHub does not show': { issue: { body: `Hello <!-- ${HOSTILE} -->` } },
  })) {
    it(`scans ${where}`, async () => {
      const { verdict } = await deliver({ endpoint, body: JSON.stringify({ ...payload, node_id: randomUUID() }) });
      assert.equal(verdict?.verdict, 'malicious');
    });
  }

  it('answers a ping', async () => {
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1, hook: { type: 'Repository' } });
    const { http, verdict } = await deliver({ endpoint, body, headers: { 'X-GitHub-Event': 'ping' } });
    assert.deepEqual([http, verdict?.verdict], [200, 'clean']);
  });

  it('has a sample that is taken', async () => {
    const path = `${ENDPOINTS}/${endpoint.id}/sample`;
    for (const [kind, verdict] of [
      ['harmless', 'clean'],
      ['hostile', 'malicious'],
    ]) {
      const { headers, body } = assertStatus(await operator.post<Sample>(path, { kind }), 200);
      const taken = await deliver({ endpoint, body, headers });
      assert.equal(taken.verdict?.verdict, verdict);
    }
  });
});
