import assert from 'node:assert/strict';
import pg from 'pg';
import type { ActivePassport, Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { buildAgent, buildAgentKey } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import { claimsOf, delegate, expire, issue, openHolder, signed, type Holder } from '../holders.ts';
import { ownServices } from '../own-service.ts';

describe('lists of passports', () => {
  let holder: Holder;
  let childId: string;
  beforeEach(async () => {
    holder = await openHolder();
    childId = (await buildAgent(holder.as)).id;
  });
  interface Page {
    passports: Passport[];
    next_cursor: string | null;
    has_more: boolean;
  }
  const get = async <Body>(path: string): Promise<Body> => assertStatus(await holder.as.get<Body>(path), 200);
  const jtisAt = async (query: string): Promise<string[]> =>
    (await get<Page>(`/v1/passports${query}`)).passports.map(({ jti }) => jti);

  it('require authentication, and a credential of the operator', async () => {
    const { jti } = await issue(holder);
    const agentKey = await buildAgentKey(holder.as, holder.agentId);
    for (const path of ['/v1/passports', '/v1/passports/active', `/v1/passports/${jti}`]) {
      assertProblem(await anonymous().get(path), 'UNAUTHENTICATED');
      assertProblem(await agentKey.get(path), 'OPERATOR_SCOPE_REQUIRED');
    }
  });

  describe('GET /v1/passports/active', () => {
    it('is an array of what is neither revoked nor expired, newest first, with every documented member', async () => {
      const [gone, over, root] = [
        await issue(holder),
        await issue(holder),
        await issue(holder, { checkpoint_interval_seconds: 90.5 }),
      ];
      assertStatus(await holder.as.post('/v1/passports/revoke', { jti: gone.jti }), 200);
      await expire(over);
      const child = await delegate(holder, root, { child_agent_id: childId });
      await issue(await openHolder());
      const listed = await get<ActivePassport[]>('/v1/passports/active');
      assert.deepEqual(
        listed.map(({ jti }) => jti),
        [child.jti, root.jti],
      );
      const { issued_at: issuedAt, ...entry } = listed[1] as ActivePassport;
      assert.match(issuedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      assert.deepEqual(entry, {
        jti: root.jti,
        agent_id: holder.agentId,
        session_id: claimsOf(root).session_id,
        delegation_depth: 0,
        parent_passport_id: null,
        identity_claim_ids: [],
        audience: null,
        authority_refs: [],
        intent_summary: null,
        intent_services: [],
        intent_refs: [],
        mission_ids: [],
        estimated_duration_seconds: null,
        checkpoint_interval_seconds: 90.5,
        checkpoint_count: 0,
        last_checkpoint_at: null,
        expires_at: root.expires_at,
      });
    });

    it('can be filtered by agent or session', async () => {
      const [root, other] = [await issue(holder), await issue(holder)];
      const child = await delegate(holder, root, { child_agent_id: childId });
      const jtis = async (query: string) =>
        (await get<ActivePassport[]>(`/v1/passports/active?${query}`)).map(({ jti }) => jti);
      assert.deepEqual(await jtis(`agent_id=${holder.agentId}`), [other.jti, root.jti]);
      assert.deepEqual(await jtis(`session_id=${claimsOf(root).session_id}`), [child.jti, root.jti]);
      assert.deepEqual(await jtis(`session_id=${claimsOf(root).session_id}&agent_id=${childId}`), [child.jti]);
      const stranger = await issue(await openHolder());
      assert.deepEqual(await jtis(`session_id=${claimsOf(stranger).session_id}`), []);
    });
  });

  describe('GET /v1/passports', () => {
    it('lists by status, agent and session', async () => {
      const [revoked, expired, root] = [await issue(holder), await issue(holder), await issue(holder)];
      assertStatus(await holder.as.post('/v1/passports/revoke', { jti: revoked.jti, reason: 'lost' }), 200);
      await expire(expired);
      const child = await delegate(holder, root, { child_agent_id: childId });
      assert.deepEqual(await jtisAt(''), [child.jti, root.jti, expired.jti, revoked.jti]);
      assert.deepEqual(await jtisAt('?status=active'), [child.jti, root.jti]);
      assert.deepEqual(await jtisAt('?status=expired'), [expired.jti]);
      assert.deepEqual(await jtisAt('?status=revoked'), [revoked.jti]);
      assert.deepEqual(await jtisAt(`?agent_id=${childId}`), [child.jti]);
      assert.deepEqual(await jtisAt(`?session_id=${claimsOf(root).session_id}`), [child.jti, root.jti]);
      assertProblem(await holder.as.get('/v1/passports?status=valid'), 'VALIDATION_ERROR', 'query.status');
    });

    it('pages by cursor, which is valid for its filter only', async () => {
      const made = [];
      for (let count = 0; count < 5; count += 1) made.unshift((await issue(holder)).jti);
      const seen: string[] = [];
      let cursor = '';
      for (;;) {
        const page = await get<Page>(`/v1/passports?limit=2&status=active${cursor}`);
        seen.push(...page.passports.map(({ jti }) => jti));
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      assert.deepEqual(seen, made);
      assertProblem(await holder.as.get(`/v1/passports?limit=2${cursor}`), 'INVALID_CURSOR');
    });
  });

  describe('GET /v1/passports/:jti', () => {
    it('shows it with its status, and how it ended', async () => {
      const passport = await issue(holder);
      const show = (): Promise<Passport> => get<Passport>(`/v1/passports/${passport.jti}`);
      assert.deepEqual([(await show()).status, (await show()).revoked_at], ['active', null]);
      assertStatus(await holder.as.post('/v1/passports/revoke', { jti: passport.jti, reason: 'lost' }), 200);
      const { status, revoked_at: at, revoke_reason: reason } = await show();
      assert.deepEqual([status, typeof at, reason], ['revoked', 'string', 'lost']);
      const expired = await issue(holder);
      await expire(expired);
      assert.equal((await get<Passport>(`/v1/passports/${expired.jti}`)).status, 'expired');
    });

    it('of an unknown or foreign one is 404', async () => {
      const { jti } = await issue(await openHolder());
      for (const id of [jti, 'psp_01K0000000000000000000000A', 'nonsense'])
        assertProblem(await holder.as.get(`/v1/passports/${id}`), 'NOT_FOUND');
    });
  });

  it('store no token: neither a row nor a line of the log has one', async () => {
    const services = await ownServices();
    try {
      const own = await services.open();
      const { api_key: apiKey } = assertStatus(
        await own.platform.post<{ api_key: string }>('/v1/operators', { name: 'Ada', email: 'ada@example.test' }),
        201,
      );
      const as = own.as(apiKey);
      const { id: agentId } = assertStatus(await as.post<{ id: string }>('/v1/agents', { name: 'researcher' }), 201);
      const sign = async (act: string, body: Record<string, unknown>): Promise<string> =>
        signed(await as.post<SignedPassport>(`/v1/passports/${act}`, body, { 'idempotency-key': act })).token;
      const root = await sign('issue', { agent_id: agentId });
      const child = { parent_passport_token: root, child_agent_id: agentId, scopes: [] };
      const tokens = [root, await sign('delegate', child), await sign('refresh', { token: root })];
      assertProblem(
        await as.post('/v1/passports/delegate', { ...child, parent_passport_token: `${root}x` }),
        'INVALID_PASSPORT',
      );
      assertStatus(await own.anonymous.post('/v1/passports/verify', { token: root }), 200);
      const secrets = tokens.map((token) => token.split('.')[2] ?? '');
      assert.deepEqual(await tablesWith(services.databaseUrl, secrets), []);
      assert(own.logged().includes('issuePassport'), 'the log was read');
      for (const secret of secrets) assert(!own.logged().includes(secret), 'a token stands in the log');
      assert.deepEqual(
        await tablesWith(services.databaseUrl, [agentId]),
        ['agents', 'audit_events', 'passport_lineages', 'passports'],
        'the rows were read',
      );
    } finally {
      await services.close();
    }
  });
});

/** Tables of a database with a row that contains one of these texts. */
async function tablesWith(databaseUrl: string, texts: string[]): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const { rowCount } = await client.query(
        `select 1 from ${pg.escapeIdentifier(name)} as t where exists (select from unnest($1::text[]) as s where strpos(t::text, s) > 0) limit 1`,
        [texts],
      );
      if (rowCount === 1) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}
