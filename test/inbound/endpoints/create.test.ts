import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { accountRoutes } from '../../../src/accounts/routes.ts';
import { inboundRoutes } from '../../../src/inbound/routes.ts';
import { insertAgent, newAdmin, openShell, type Shell } from '../../http/support/shell.ts';
import { tablesHolding } from '../../accounts/api-keys/secrets.ts';
import { block } from '../../authority/support.ts';
import { issued } from '../../http/auth/support/belongings.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { approveByHand, refusedWith, withApproval } from '../../governance/support.ts';
import { signIn } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, requester, service } from '../../support/service.ts';
import type { CreatedEndpoint } from '../../../src/inbound/endpoints/schema.ts';
import {
  auditOf,
  buildEndpoint,
  ENDPOINTS,
  mailgunKey,
  REFUSED_SECRETS,
  shownEndpoint,
  svixSecret,
} from './support.ts';

describe('POST /v1/operator/inbound-webhooks', () => {
  let operator: TestOperator;
  let agent: string;
  before(async () => {
    operator = await buildOperator();
    agent = (await buildAgent(operator)).id;
  });

  const create = (body: Record<string, unknown> = {}, headers?: Record<string, string>, by = operator) =>
    by.post<CreatedEndpoint>(ENDPOINTS, { provider: 'generic', agent_id: agent, ...body }, headers);

  it('requires authentication', async () => {
    assertProblem(await anonymous().post(ENDPOINTS, {}), 'UNAUTHENTICATED');
  });

  it('makes an endpoint with an address that nobody guesses, and shows its secret', async () => {
    const reply = await create({ provider: 'mail_provider' });
    const { id, secret, slug, created_at, ...rest } = assertStatus(reply, 201);
    assert.match(id, /^inw_/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(slug, /^[a-z2-7]{32}$/);
    assert(Date.parse(created_at) <= Date.now());
    assert.equal(reply.headers.get('location'), `${ENDPOINTS}/${id}`);
    assert.deepEqual(rest, {
      operator_id: operator.operatorId,
      agent_id: agent,
      partner_grant_id: null,
      provider: 'mail_provider',
      name: null,
      receiver_url: `${service().baseUrl}/v1/inbound/mail_provider/${slug}`,
      forward_url: null,
      policy: { block_at: 'high', mode: 'enforce' },
      status: 'active',
      old_secret_until: null,
      timeouts_in_row: 0,
      slow_since: null,
      held_until: null,
      revoked_at: null,
      counters: {
        received: 0,
        rejected: 0,
        duplicates: 0,
        clean: 0,
        suspicious: 0,
        malicious: 0,
        forwarded: 0,
        blocked: 0,
        forward_failed: 0,
        marked_harmless: 0,
        last_event_at: null,
      },
    });
    assert.deepEqual(await shownEndpoint(operator, id), { id, slug, created_at, ...rest });
  });

  it('keeps name, policy and forward_url as given', async () => {
    const given = {
      name: 'support mail',
      forward_url: 'https://93.184.216.34/Mail?to=agent',
      policy: { block_at: 'low', mode: 'enforce' },
    };
    const { name, forward_url, policy } = assertStatus(await create(given), 201);
    assert.deepEqual({ name, forward_url, policy }, given);
  });

  it('needs a person for one that holds less than the standard policy, from a partner too', async () => {
    const person = await signIn(operator.email);
    const partner = await buildPartner(operator);
    const agentOfPartner = (await buildAgent(partner)).id;
    for (const policy of [{ block_at: 'critical' }, { mode: 'shadow' }, { block_at: 'low', mode: 'shadow' }]) {
      for (const [by, agent_id] of [
        [operator, agent],
        [partner, agentOfPartner],
      ] as const) {
        const body = { provider: 'generic', agent_id, policy };
        const refused = await by.post(ENDPOINTS, body);
        assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
        const { approval_id: id } = refusedWith(refused);
        await approveByHand(id);
        assertStatus(await by.post(ENDPOINTS, body, withApproval(id)), 201);
      }
      const made = await person.post<CreatedEndpoint>(ENDPOINTS, { provider: 'generic', agent_id: agent, policy });
      assert.equal(assertStatus(made, 201).policy.mode, policy.mode ?? 'enforce');
    }
    for (const policy of [{ block_at: 'low' }, { block_at: 'high', mode: 'enforce' }])
      assertStatus(await create({ policy }), 201);
  });

  it('gives each endpoint an address and a secret of its own', async () => {
    const [one, other] = [await buildEndpoint(operator), await buildEndpoint(operator)];
    assert.notEqual(one.slug, other.slug);
    assert.notEqual(one.secret, other.secret);
  });

  it('keeps no secret that anybody reads, and no query of the forward_url in the audit trail', async () => {
    const query = unique('token');
    const { id, secret } = assertStatus(
      await create({ forward_url: `https://93.184.216.34/x?token=${query}` }, { 'idempotency-key': unique('key') }),
      201,
    );
    const pool = await database();
    assert.deepEqual(await tablesHolding(secret), []);
    assert.deepEqual(await tablesHolding(query), ['inbound_endpoints']);
    const details = await pool.manyFirst(
      sql.type(z.object({ detail: z.unknown() }))`select detail from audit_events where target = ${id}`,
    );
    assert.deepEqual(details, [
      { provider: 'generic', agent_id: agent, forward_to: 'https://93.184.216.34', block_at: 'high', mode: 'enforce' },
    ]);
  });

  for (const [whose, make] of [
    ['Mailgun', mailgunKey],
    ['Svix', svixSecret],
  ] as const) {
    it(`takes the secret that ${whose} made, shows it once, and keeps it where nobody reads it`, async () => {
      const given = make();
      const headers = { 'idempotency-key': unique('key') };
      const { id, secret } = assertStatus(await create({ provider: 'mail_provider', secret: given }, headers), 201);
      assert.equal(secret, given);
      assert(!JSON.stringify(await shownEndpoint(operator, id)).includes(given));
      assert.deepEqual(await tablesHolding(given), []);
      assert.deepEqual(
        (await auditOf(id)).map(({ detail }) => detail),
        [{ provider: 'mail_provider', agent_id: agent, forward_to: null, block_at: 'high', mode: 'enforce' }],
      );
      assertProblem(await create({ provider: 'mail_provider', secret: make() }, headers), 'IDEMPOTENCY_KEY_REUSED');
    });
  }

  for (const secret of ['x'.repeat(16), '~'.repeat(200), `whsec_${Buffer.alloc(16, 7).toString('base64')}`]) {
    it(`takes a secret at the bounds: ${secret.length} characters that begin with ${secret.slice(0, 6)}`, async () => {
      assert.equal(assertStatus(await create({ secret }), 201).secret, secret);
    });
  }

  for (const [what, secret] of REFUSED_SECRETS) {
    it(`refuses as a secret ${what}, and does not repeat it`, async () => {
      const refused = await create({ secret });
      assertProblem(refused, 'VALIDATION_ERROR');
      assert.doesNotMatch(JSON.stringify(refused.body), /unknown_property/);
      assert(typeof secret !== 'string' || !JSON.stringify(refused.body).includes(secret));
    });
  }

  it('answers a repeated Idempotency-Key with the same endpoint and secret', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const [first, second] = [await create({}, headers), await create({}, headers)];
    assert.deepEqual(assertStatus(second, 201), assertStatus(first, 201));
    const other = await create({ name: 'another' }, headers);
    assertProblem(other, 'IDEMPOTENCY_KEY_REUSED');
  });

  const forbidden: [url: string, rule: string][] = [
    ['http://93.184.216.34/x', 'scheme'],
    ['ftp://93.184.216.34/x', 'scheme'],
    ['https://user:pass@93.184.216.34/x', 'credentials'],
    ['https://93.184.216.34/x#part', 'fragment'],
    ['https://93.184.216.34:22/x', 'port'],
    ['https://localhost/x', 'private_name'],
    ['https://agents.internal/x', 'private_name'],
    ['https://agents/x', 'private_name'],
    ['https://127.0.0.1/x', 'address'],
    ['https://10.0.0.1/x', 'address'],
    ['https://169.254.169.254/latest/meta-data', 'address'],
    ['https://[::1]/x', 'address'],
    ['https://[fe80::1]/x', 'address'],
    ['https://0x7f000001/x', 'address'],
    ['not a url', 'url'],
  ];
  describe('on a service that lets nobody reach its own machine', () => {
    let shell: Shell;
    before(async () => {
      shell = await openShell({ routes: [...accountRoutes, ...inboundRoutes] });
    });
    after(() => shell.close());

    for (const [url, rule] of forbidden) {
      it(`refuses to forward to ${url}, and says why: ${rule}`, async () => {
        const admin = await newAdmin(shell);
        const agent_id = await insertAgent(shell.context, admin.operatorId);
        const refused = await admin.post(ENDPOINTS, { provider: 'generic', agent_id, forward_url: url });
        assertProblem(refused, 'FORWARD_URL_FORBIDDEN');
        assert.equal(refused.body['rule'], rule);
        const { id } = await buildEndpoint(admin, { agent_id });
        assertProblem(await admin.patch(`${ENDPOINTS}/${id}`, { forward_url: url }), 'FORWARD_URL_FORBIDDEN');
        assert.equal((await shownEndpoint(admin, id)).forward_url, null);
      });
    }
  });

  it('takes a name that DNS does not know: each forward looks again', async () => {
    assertStatus(await create({ forward_url: 'https://nobody.example/x' }), 201);
  });

  for (const [what, body] of [
    ['no provider', { provider: undefined }],
    ['a provider that there is not', { provider: 'stripe' }],
    ['no agent', { agent_id: undefined }],
    ['a number as forward_url', { forward_url: 7 }],
    ['an empty forward_url', { forward_url: '' }],
    ['a policy that there is not', { policy: { block_at: 'none' } }],
    ['a mode that there is not', { policy: { mode: 'off' } }],
    ['an unknown property', { colour: 'red' }],
  ] as [string, Record<string, unknown>][]) {
    it(`refuses ${what}`, async () => {
      assertProblem(await create(body), 'VALIDATION_ERROR');
    });
  }

  it('refuses an agent of another operator like one that there is not', async () => {
    const foreign = await buildAgent(await buildOperator());
    assertProblem(await create({ agent_id: foreign.id }), 'NOT_FOUND');
    assertProblem(await create({ agent_id: 'ag_01K0000000000000000000000A' }), 'NOT_FOUND');
  });

  it('refuses a disabled agent, and takes a blocked one', async () => {
    const [disabled, blocked] = [await buildAgent(operator), await buildAgent(operator)];
    assertStatus(await operator.patch(`/v1/agents/${disabled.id}`, { status: 'disabled' }), 200);
    await block(blocked.id);
    assertProblem(await create({ agent_id: disabled.id }), 'INVALID_STATE');
    assertStatus(await create({ agent_id: blocked.id }), 201);
  });

  it('is for administrators: not for agents, passports or members', async () => {
    const owner = await signIn(operator.email);
    assertStatus(await owner.post(ENDPOINTS, { provider: 'generic', agent_id: agent }), 201);
    const { token } = await issued(operator, agent);
    const body = { provider: 'generic', agent_id: agent };
    assertProblem(await (await buildAgentKey(operator, agent)).post(ENDPOINTS, body), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await requester(token).post(ENDPOINTS, body), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await (await buildMemberKey(operator)).post(ENDPOINTS, body), 'ADMIN_REQUIRED');
  });

  it('has a bound of 10,000 active endpoints, and revoked ones do not count', async () => {
    const crowded = await buildOperator();
    const { id: crowd } = await buildAgent(crowded);
    const pool = await database();
    const insert = (from: number, to: number) =>
      pool.query(sql.type(z.object({}))`
        insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, secret)
        select 'inw_' || ${crowd} || n, ${crowded.operatorId}, ${crowd}, 'generic', ${crowd} || n, 'sealed' from generate_series(${from}::int, ${to}) n`);
    await insert(1, 9_999);
    const last = await buildEndpoint(crowded, { agent_id: crowd });
    const refused = await create({ agent_id: crowd }, {}, crowded);
    assertProblem(refused, 'TIER_LIMIT_EXCEEDED');
    assertStatus(await crowded.delete(`${ENDPOINTS}/${last.id}`), 200);
    assertStatus(await create({ agent_id: crowd }, {}, crowded), 201);
    // Their secrets open with no key: nothing else of the suite should find them.
    await pool.query(sql.type(z.object({}))`delete from inbound_counters where endpoint_id like ${`inw_${crowd}%`}`);
    await pool.query(sql.type(z.object({}))`delete from inbound_endpoints where id like ${`inw_${crowd}%`}`);
  });
});
