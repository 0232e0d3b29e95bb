import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { verifySignature } from '../../../src/inbound/providers/verify-signature.ts';
import { ENDPOINTS, buildEndpoint } from '../endpoints/support.ts';
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

const signed = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** As GitHub sends it. */
async function deliver({ endpoint, body, id = randomUUID(), headers = {} }: Sent) {
  const reply = await fetch(endpoint.receiver_url, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-GitHub-Event': 'issues',
      'X-GitHub-Delivery': id,
      'X-Hub-Signature-256': signed(endpoint.secret, body),
      ...headers,
    },
  });
  const answer = (await reply.json()) as {
    event_id?: string;
    duplicate?: boolean;
    code?: string;
    verdict?: { verdict: string };
  };
  return { status: reply.status, ...answer };
}

const issue = (text: string): string =>
  JSON.stringify({ action: 'opened', issue: { title: 'It does not start', body: text }, sender: { login: 'octocat' } });

describe('The provider github', () => {
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

  it('is one event for each delivery, which GitHub may send again', async () => {
    const body = issue(randomUUID());
    const id = randomUUID();
    const first = await deliver({ endpoint, body, id });
    assert.deepEqual([first.status, first.duplicate], [200, false]);
    const again = await deliver({ endpoint, body, id: id.toUpperCase() });
    assert.deepEqual([again.event_id, again.duplicate], [first.event_id, true]);
  });

  it('makes no second event of the same bytes under another id, which nobody signs', async () => {
    const body = issue(randomUUID());
    const first = await deliver({ endpoint, body });
    const other = await deliver({ endpoint, body });
    assert.deepEqual([other.event_id, other.duplicate], [first.event_id, true]);
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
    assert.deepEqual([none.status, none.code], [400, 'VALIDATION_ERROR']);
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
    const { status, verdict } = await deliver({ endpoint, body, headers: { 'X-GitHub-Event': 'ping' } });
    assert.deepEqual([status, verdict?.verdict], [200, 'clean']);
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
