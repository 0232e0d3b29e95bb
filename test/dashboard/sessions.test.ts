import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { buildAgent, buildAgentKey, buildOperator, suspend, unique, type TestOperator } from '../support/factories.ts';
import { tablesHolding } from '../accounts/api-keys/secrets.ts';
import { mailedCode, baseOrigin, browser, buildPerson, cookieOf, signIn, type Person } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, platform, service } from '../support/service.ts';

const CURRENT = '/v1/dashboard/sessions/current';

describe('A dashboard session', () => {
  let operator: TestOperator;
  let owner: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
  });

  it('is a credential of its operator, in the role of the member', async () => {
    assert.equal(assertStatus(await owner.get<{ id: string }>('/v1/operators/me'), 200).id, operator.operatorId);
    assertStatus(await owner.get('/v1/members'), 200);
    const member = await buildPerson(operator, 'member');
    assert.equal(assertStatus(await member.get<{ id: string }>('/v1/operators/me'), 200).id, operator.operatorId);
    assertProblem(await member.get('/v1/members'), 'ADMIN_REQUIRED');
    assertStatus(await (await buildPerson(operator, 'admin')).get('/v1/members'), 200);
    assertProblem(await owner.get('/v1/admin/outbox'), 'ADMIN_REQUIRED');
  });

  it('yields to an Authorization header, good or bad', async () => {
    const other = await buildOperator();
    const both = await owner.get<{ id: string }>('/v1/operators/me', { authorization: `Bearer ${other.key}` });
    assert.equal(assertStatus(both, 200).id, other.operatorId);
    assertProblem(await owner.get('/v1/operators/me', { authorization: 'Bearer svc_live_wrong' }), 'UNAUTHENTICATED');
    const token = owner.cookie.slice('carnet_session='.length);
    assertProblem(await anonymous().get('/v1/operators/me', { authorization: `Bearer ${token}` }), 'UNAUTHENTICATED');
    assertProblem(await anonymous().get('/v1/operators/me', { authorization: token }), 'UNAUTHENTICATED');
  });

  it('is found among other cookies, and in no cookie of a similar name', async () => {
    assertStatus(await anonymous().get(CURRENT, { cookie: `a=b; ${owner.cookie}; c=d` }), 200);
    for (const cookie of [
      `x${owner.cookie}`,
      `${owner.cookie}x`,
      owner.cookie.toUpperCase(),
      'carnet_session=',
      'carnet_session',
    ]) {
      assertProblem(await anonymous().get(CURRENT, { cookie }), 'UNAUTHENTICATED');
    }
  });

  it('is found behind cookies of its name that a neighbour has set', async () => {
    const planted = Array.from({ length: 4 }, (_, at) => `carnet_session=${String(at).repeat(43)}`);
    assertStatus(await anonymous().get(CURRENT, { cookie: [...planted, owner.cookie].join('; ') }), 200);
    assertStatus(await anonymous().get(CURRENT, { cookie: ['carnet_session=short', owner.cookie].join('; ') }), 200);
    assertStatus(await anonymous().get(CURRENT, { cookie: [owner.cookie, ...planted].join('; ') }), 200);
  });

  it('ends for all at sign-out, and the cookie with it', async () => {
    const person = await buildPerson(operator);
    assertStatus(await person.get(CURRENT), 200);
    const reply = await person.delete(CURRENT);
    assert.deepEqual(assertStatus(reply, 200), { deleted: true });
    assert.match(
      reply.headers.getSetCookie()[0] ?? '',
      /^carnet_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assertProblem(await person.get(CURRENT), 'UNAUTHENTICATED');
    assertProblem(await person.delete(CURRENT), 'UNAUTHENTICATED');
  });

  it('ends when its member is deleted', async () => {
    const person = await buildPerson(operator);
    assertStatus(await person.get('/v1/operators/me'), 200);
    assertStatus(await owner.delete(`/v1/members/${person.memberId}`), 200);
    assertProblem(await person.get('/v1/operators/me'), 'UNAUTHENTICATED');
  });

  it('is refused while its operator is suspended', async () => {
    const other = await buildOperator();
    const person = await signIn(other.email);
    assertStatus(await person.get('/v1/operators/me'), 200);
    await suspend(other.operatorId);
    assertProblem(await person.get('/v1/operators/me'), 'OPERATOR_SUSPENDED');
    assertStatus(await platform().patch(`/v1/admin/operators/${other.operatorId}`, { status: 'active' }), 200);
    assertStatus(await person.get('/v1/operators/me'), 200);
  });

  it('ends after twelve hours', async () => {
    const [person, other] = [await buildPerson(operator), await buildPerson(operator)];
    const { id } = assertStatus(await person.get<{ id: string }>(CURRENT), 200);
    const pool = await database();
    await pool.query(
      sql.type(z.object({}))`update dashboard_sessions set expires_at = clock_timestamp() where id = ${id}`,
    );
    // A change of the member drops the cached credential.
    assertStatus(await owner.delete(`/v1/members/${other.memberId}`), 200);
    assertProblem(await person.get(CURRENT), 'UNAUTHENTICATED');
  });

  it('is what the calls about the current one need', async () => {
    assertProblem(await anonymous().get(CURRENT), 'UNAUTHENTICATED');
    assertProblem(await anonymous().delete(CURRENT), 'UNAUTHENTICATED');
    assertProblem(await operator.get(CURRENT), 'DASHBOARD_SESSION_REQUIRED');
    assertProblem(await operator.delete(CURRENT), 'DASHBOARD_SESSION_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.get(CURRENT), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('counts as one client with its own rate, and is named as actor in the audit trail', async () => {
    const person = await buildPerson(operator);
    const { id } = assertStatus(await person.post<{ id: string }>('/v1/agents', { name: unique('agent') }), 201);
    const trail = await operator.get<{ audit_events: { target: string; actor: string }[] }>('/v1/audit-events');
    const event = assertStatus(trail, 200).audit_events.find(({ target }) => target === id);
    assert.equal(event?.actor, person.memberId);
  });
});

describe('A change by session cookie', () => {
  let cookie: string;
  before(async () => {
    ({ cookie } = await signIn((await buildOperator()).email));
  });

  const change = (headers: Record<string, string>) =>
    anonymous().post('/v1/agents', { name: unique('agent') }, { cookie, ...headers });
  const port = (): string => new URL(service().baseUrl).port;

  for (const [from, headers] of [
    ['a page of the service', () => ({ origin: baseOrigin() })],
    ['a page of the service by the name localhost', () => ({ origin: `http://localhost:${port()}` })],
    ['the same origin, where no Origin is sent', () => ({ 'sec-fetch-site': 'same-origin' })],
  ] as const) {
    it(`is done for ${from}`, async () => {
      assertStatus(await change(headers()), 201);
    });
  }

  for (const [from, headers] of [
    ['who knows where', () => ({})],
    ['another site', () => ({ origin: 'https://evil.example' })],
    ['a page without an origin', () => ({ origin: 'null' })],
    ['another port of the same host', () => ({ origin: 'http://127.0.0.1:1' })],
    ['another scheme', () => ({ origin: baseOrigin().replace('http:', 'https:') })],
    ['a host whose name begins alike', () => ({ origin: `${baseOrigin()}.evil.example` })],
    [
      'another site that calls itself the same',
      () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }),
    ],
    ['a sibling site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['another site, by its fetch metadata', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['the address bar', () => ({ 'sec-fetch-site': 'none' })],
    ['an empty origin', () => ({ origin: '', 'sec-fetch-site': 'same-origin' })],
  ] as const) {
    it(`is refused from ${from}`, async () => {
      assertProblem(await change(headers()), 'ORIGIN_FORBIDDEN');
    });
  }

  it('is refused regardless of its method, before any other refusal', async () => {
    const foreign = { cookie, origin: 'https://evil.example' };
    assertProblem(await anonymous().delete(CURRENT, foreign), 'ORIGIN_FORBIDDEN');
    assertProblem(await anonymous().patch('/v1/operators/me', { nonsense: true }, foreign), 'ORIGIN_FORBIDDEN');
    assertProblem(await anonymous().post('/v1/operators', {}, foreign), 'ORIGIN_FORBIDDEN');
    assertStatus(await browser(cookie).get(CURRENT), 200);
  });

  it('needs no origin to read, and a key needs none at all', async () => {
    const foreign = { origin: 'https://evil.example' };
    assertStatus(await anonymous().get(CURRENT, { cookie, ...foreign }), 200);
    assertStatus(await (await buildOperator()).post('/v1/agents', { name: unique('agent') }, foreign), 201);
  });
});

describe('The record of a sign-in', () => {
  it('is no code, no token and no address: only hashes and encrypted texts', async () => {
    const operator = await buildOperator();
    const requested = async (): Promise<{ code: string; alike: string[] }> => {
      const code = await mailedCode(operator.email);
      assert.deepEqual(await tablesHolding(`\n${code}\n`), [], 'as it stands in the mail');
      return { code, alike: await tablesHolding(`,${code},`) };
    };
    // A number of six digits may occur by chance, but not twice in the same table.
    const [{ alike }, { code, alike: again }] = [await requested(), await requested()];
    assert.deepEqual(
      alike.filter((table) => again.includes(table)),
      [],
      'as a column of its own',
    );
    const reply = await anonymous().post('/v1/dashboard/sessions/verify', { email: operator.email, code });
    assertStatus(reply, 200);
    assert.deepEqual(await tablesHolding(cookieOf(reply).slice('carnet_session='.length)), []);
    const nobody = `${unique('nobody')}@example.test`;
    assertStatus(await anonymous().post('/v1/dashboard/sessions', { email: nobody }), 202);
    assert.deepEqual(await tablesHolding(nobody), []);
  });
});
