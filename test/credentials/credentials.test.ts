import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { approve, refusedWith, withApproval } from '../governance/support.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../support/factories.ts';
import { PROVIDERS } from '../support/model-providers.ts';
import { signIn } from '../support/people.ts';
import { assertProblem, assertStatus, database, requester, type Requester } from '../support/service.ts';

const [PROVIDER, OTHER] = PROVIDERS;
const PATH = `/v1/credentials/${PROVIDER}`;
const KEY = 'sk-secret-of-an-account-f3Qa';
const MAX = 50;

interface Shown {
  provider: string;
  label: string | null;
  last_four: string;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
}

/** Every text of the service's database that is about this operator or may hold what it sent. */
async function textsOf(operatorId: string): Promise<string> {
  const pool = await database();
  const rows = await pool.anyFirst(sql.type(z.object({ text: z.string() }))`
    select to_jsonb(c)::text as text from model_credentials c where operator_id = ${operatorId}
    union all select to_jsonb(a)::text from audit_events a where operator_id = ${operatorId}
    union all select to_jsonb(g)::text from governance_approvals g where operator_id = ${operatorId}
    union all select to_jsonb(k)::text from idempotency_keys k where operator_id = ${operatorId}`);
  return rows.join('\n');
}

describe('PUT /v1/credentials/{provider}', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator();
  });

  it('enters a key, shows it by its last four characters, and leaves an audit event', async () => {
    const { created_at, updated_at, ...shown } = assertStatus(
      await operator.put<Shown>(PATH, { api_key: KEY, label: 'Production' }),
      200,
    );
    assert.deepEqual(shown, { provider: PROVIDER, label: 'Production', last_four: 'f3Qa', last_used_at: null });
    assert.equal(created_at, updated_at);
    const pool = await database();
    assert.deepEqual(
      await pool.one(sql.type(z.object({ target: z.string(), detail: z.unknown() }))`
        select target, detail from audit_events where operator_id = ${operator.operatorId} and action = 'credential.set'`),
      { target: PROVIDER, detail: { label: 'Production', last_four: 'f3Qa', replaced: false } },
    );
  });

  it('replaces the whole credential, so that there is one a provider', async () => {
    const first = assertStatus(await operator.put<Shown>(PATH, { api_key: KEY, label: 'Production' }), 200);
    const pool = await database();
    await run(
      pool,
      sql.fragment`update model_credentials set last_used_at = clock_timestamp() where operator_id = ${operator.operatorId}`,
    );
    const second = assertStatus(await operator.put<Shown>(PATH, { api_key: `${KEY}-new1` }), 200);
    assert.deepEqual([second.label, second.last_four, second.last_used_at], [null, 'new1', null]);
    assert.equal(second.created_at, first.created_at);
    assert(second.updated_at > first.updated_at);
    const { total } = assertStatus(await operator.get<{ total: number }>('/v1/credentials'), 200);
    assert.equal(total, 1);
  });

  it('answers a repeated Idempotency-Key as it did, and keeps the key nowhere', async () => {
    const key = { 'Idempotency-Key': unique('put') };
    const first = await operator.put(PATH, { api_key: KEY, label: 'x' }, key);
    const again = await operator.put(PATH, { api_key: KEY, label: 'x' }, key);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assertProblem(await operator.put(PATH, { api_key: `${KEY}2`, label: 'x' }, key), 'IDEMPOTENCY_KEY_REUSED');
    const texts = await textsOf(operator.operatorId);
    assert(texts.includes('f3Qa'));
    assert(!texts.includes('sk-secret'), texts);
  });

  it('is 404 for a provider that the service does not have, and names those that there are', async () => {
    const refused = await operator.put(`/v1/credentials/nobody`, { api_key: KEY });
    assertProblem(refused, 'NOT_FOUND');
    assert.match(String(refused.body['detail']), /there are: openai, claude\./);
  });

  for (const [what, body] of [
    ['no key', {}],
    ['a key of 15 characters', { api_key: 'x'.repeat(15) }],
    ['a key of 1,001 characters', { api_key: 'x'.repeat(1_001) }],
    ['a key with a line end', { api_key: `${KEY}\n` }],
    ['a key with a space', { api_key: `sk hidden ${KEY}` }],
    ['a key that is not ASCII', { api_key: `${KEY}é` }],
    ['a key that is no text', { api_key: [KEY] }],
    ['an empty label', { api_key: KEY, label: '' }],
    ['something unknown', { api_key: KEY, base_url: 'https://example.com' }],
  ] as const)
    it(`is 400 for ${what}, and does not repeat it`, async () => {
      const refused = await operator.put(PATH, body);
      assertProblem(refused, 'VALIDATION_ERROR');
      assert(!refused.text.includes('sk-') && !refused.text.includes('hidden'), refused.text);
    });

  it('takes keys of 16 and 1,000 characters', async () => {
    for (const length of [16, 1_000]) assertStatus(await operator.put(PATH, { api_key: 'x'.repeat(length) }), 200);
  });

  it(`is 403 for one more than ${MAX}, also of two in parallel, and replaces one of them`, async () => {
    const pool = await database();
    const fill = (count: number) =>
      run(
        pool,
        sql.fragment`
        insert into model_credentials (operator_id, provider, secret, last_four)
        select ${operator.operatorId}, 'gone-' || n, 'sealed', '1111' from generate_series(1, ${count}::int) n`,
      );
    await fill(MAX - 1);
    for (let round = 0; round < 20; round += 1) {
      const both = await Promise.all(
        PROVIDERS.map((provider) => operator.put(`/v1/credentials/${provider}`, { api_key: KEY })),
      );
      assert.deepEqual(
        both.map(({ status }) => status).toSorted((one, other) => one - other),
        [200, 403],
      );
      const refused = both.find(({ status }) => status === 403) ?? assert.fail('one is refused');
      assertProblem(refused, 'TIER_LIMIT_EXCEEDED');
      assert.deepEqual([refused.body['limit'], refused.body['used']], [MAX, MAX]);
      const made = both[0]?.status === 200 ? PROVIDER : OTHER;
      assertStatus(await operator.put(`/v1/credentials/${made}`, { api_key: `${KEY}2` }), 200);
      assertStatus(await operator.delete(`/v1/credentials/${made}`), 200);
    }
  });

  it('requires authentication, an administrator, and no agent', async () => {
    const { id } = await buildAgent(operator);
    const made = async (body: object): Promise<Requester> =>
      requester(
        assertStatus(await operator.post<{ key: string }>('/v1/api-keys', { name: unique('key'), ...body }), 201).key,
      );
    const callers: [Requester, Parameters<typeof assertProblem>[1]][] = [
      [requester(null), 'UNAUTHENTICATED'],
      [await made({ kind: 'operator', role: 'member' }), 'ADMIN_REQUIRED'],
      [await made({ kind: 'agent', agent_id: id }), 'AGENT_CREDENTIAL_FORBIDDEN'],
    ];
    for (const [caller, code] of callers)
      for (const reply of [
        await caller.put(PATH, { api_key: KEY }),
        await caller.get(PATH),
        await caller.get('/v1/credentials'),
        await caller.delete(PATH),
      ])
        assertProblem(reply, code);
  });

  it('by a key that ends waits for a person, who is shown the last four characters; nothing keeps the key', async () => {
    const owner = await signIn(operator.email);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const key = { name: unique('key'), kind: 'operator', role: 'admin', expires_at };
    const ending = requester(assertStatus(await operator.post<{ key: string }>('/v1/api-keys', key), 201).key);
    const body = { api_key: KEY, label: 'Production' };
    const refused = await ending.put(PATH, body);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: id } = refusedWith(refused);
    const shown = assertStatus(
      await owner.get<{ body: Record<string, string>; subject: unknown }>(`/v1/governance/approvals/${id}`),
      200,
    );
    assert.deepEqual(shown.subject, { provider: PROVIDER, replaces: null });
    const { api_key_mac: mac, ...rest } = shown.body;
    assert.deepEqual(rest, { label: 'Production', last_four: 'f3Qa' });
    assert.match(mac ?? '', /^[\w-]{43}$/);
    assertStatus(await approve(owner, id), 200);
    const other = await ending.put(PATH, { ...body, api_key: `another-${KEY}` }, withApproval(id));
    assert.equal(other.body['approval_status'], 'other_request', 'of the same end, and another key');
    assertStatus(await ending.put(PATH, body, withApproval(id)), 200);
    assert(!(await textsOf(operator.operatorId)).includes('sk-secret'));
  });
});

describe('GET and DELETE /v1/credentials', () => {
  it('list, show and delete those of the operator alone, also of a provider that is no more', async () => {
    const [operator, stranger] = [await buildOperator(), await buildOperator()];
    for (const provider of PROVIDERS)
      assertStatus(await operator.put(`/v1/credentials/${provider}`, { api_key: `${KEY}-${provider}` }), 200);
    await run(
      await database(),
      sql.fragment`
      insert into model_credentials (operator_id, provider, secret, last_four) values (${operator.operatorId}, 'gone', 'sealed', '1111')`,
    );
    const list = await operator.get<{ credentials: Shown[]; total: number }>('/v1/credentials?limit=2&offset=1');
    const { credentials, total } = assertStatus(list, 200);
    assert.equal(total, 3);
    assert.deepEqual(
      credentials.map(({ provider, last_four }) => [provider, last_four]),
      [
        ['gone', '1111'],
        [PROVIDER, 'enai'],
      ],
    );
    assert(!list.text.includes('sk-') && !list.text.includes('secret'), list.text);
    assert.deepEqual(assertStatus(await operator.get(PATH), 200), credentials[1]);

    assert.equal(assertStatus(await stranger.get<{ total: number }>('/v1/credentials'), 200).total, 0);
    for (const reply of [
      await stranger.get(PATH),
      await stranger.delete(PATH),
      await operator.get('/v1/credentials/x'),
    ])
      assertProblem(reply, 'NOT_FOUND');

    for (const provider of [PROVIDER, 'gone']) {
      const path = `/v1/credentials/${provider}`;
      assert.deepEqual(assertStatus(await operator.delete(path), 200), { deleted: true });
      assertProblem(await operator.get(path), 'NOT_FOUND');
      assertProblem(await operator.delete(path), 'NOT_FOUND');
    }
    const pool = await database();
    assert.equal(
      await pool.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*) from audit_events where operator_id = ${operator.operatorId} and action = 'credential.deleted'`),
      2,
    );
  });
});
