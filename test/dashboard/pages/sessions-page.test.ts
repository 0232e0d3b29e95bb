import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, insertMember, signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';

interface Session {
  id: string;
  created_at: string;
  expires_at: string;
  current: boolean;
}

const SESSIONS = '/v1/dashboard/sessions';
const current = async (person: Person): Promise<Session> =>
  assertStatus(await person.get<Session>(`${SESSIONS}/current`), 200);
const listed = async (person: Person): Promise<Session[]> =>
  assertStatus(await person.get<{ sessions: Session[] }>(SESSIONS), 200).sessions;
const actionsOf = async (operator: TestOperator): Promise<{ action: string; target: string; actor: string }[]> =>
  assertStatus(
    await operator.get<{ audit_events: { action: string; target: string; actor: string }[] }>('/v1/audit-events'),
    200,
  ).audit_events;

describe('GET /v1/dashboard/sessions', () => {
  it('lists those of the person alone, newest first, and marks the one that asks', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const [first, second] = [await signIn(operator.email), await signIn(operator.email)];
    const other = await buildPerson(operator);
    const [older, newer] = [await current(first), await current(second)];
    assert.deepEqual(
      (await listed(first)).map(({ id, current: own }) => [id, own]),
      [
        [newer.id, false],
        [older.id, true],
      ],
    );
    assert.deepEqual((await listed(other)).length, 1);
    const page = await first.get<{ total: number; sessions: Session[] }>(`${SESSIONS}?limit=1&offset=1`);
    const { total, sessions } = assertStatus(page, 200);
    assert.deepEqual([total, sessions.map(({ id }) => id)], [2, [older.id]]);
  });

  it('lists none that is over', async () => {
    const operator = await buildOperator();
    const [first, second] = [await signIn(operator.email), await signIn(operator.email)];
    const { id } = await current(first);
    const pool = await database();
    await pool.query(
      sql.type(z.object({}))`update dashboard_sessions set expires_at = clock_timestamp() where id = ${id}`,
    );
    assert.deepEqual((await listed(second)).length, 1);
    assertProblem(await second.delete(`${SESSIONS}/${id}`), 'NOT_FOUND');
  });

  it('needs a session', async () => {
    const operator = await buildOperator();
    for (const reply of [
      await operator.get(SESSIONS),
      await operator.delete(SESSIONS),
      await operator.delete(`${SESSIONS}/dsh_01K0000000000000000000000A`),
    ])
      assertProblem(reply, 'DASHBOARD_SESSION_REQUIRED');
  });
});

describe('DELETE /v1/dashboard/sessions/:id', () => {
  it('ends a session, which opens nothing from then on, and leaves an audit event', async () => {
    const operator = await buildOperator();
    const [first, second] = [await signIn(operator.email), await signIn(operator.email)];
    const { id } = await current(first);
    assert.deepEqual(assertStatus(await second.delete(`${SESSIONS}/${id}`), 200), { deleted: true });
    assertProblem(await first.get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
    assert.equal((await browserOf(first).open('/dashboard')).title, 'Sign in');
    assertStatus(await second.get(`${SESSIONS}/current`), 200);
    const [event] = await actionsOf(operator);
    assert.deepEqual([event?.action, event?.target], ['dashboard_session.ended', id]);
    assertProblem(await second.delete(`${SESSIONS}/${id}`), 'NOT_FOUND');
  });

  it('is 404 for one of a colleague, of another operator, and of the same person at another operator', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const owner = await signIn(operator.email);
    const colleague = await buildPerson(operator, 'admin');
    const stranger = await signIn((await buildOperator()).email);
    const second = await buildOperator();
    await insertMember(second.operatorId, { email: operator.email, role: 'admin' });
    const elsewhere = await signIn(operator.email, second.operatorId);
    for (const victim of [colleague, stranger, elsewhere]) {
      const { id } = await current(victim);
      assertProblem(await owner.delete(`${SESSIONS}/${id}`), 'NOT_FOUND');
      assertStatus(await victim.get(`${SESSIONS}/current`), 200);
    }
    assert.deepEqual(assertStatus(await owner.delete(SESSIONS), 200), { ended: 0 });
    for (const victim of [colleague, stranger, elsewhere]) await current(victim);
  });

  it('ends all others', async () => {
    const { email } = await buildOperator();
    const [first, second, third] = [await signIn(email), await signIn(email), await signIn(email)];
    assert.deepEqual(assertStatus(await third.delete(SESSIONS), 200), { ended: 2 });
    for (const ended of [first, second]) assertProblem(await ended.get('/v1/operators/me'), 'UNAUTHENTICATED');
    assert.deepEqual((await listed(third)).length, 1);
  });
});

describe('The page of sessions', () => {
  it('lists them, ends one and all others, and nobody else’s', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const [first, second, third] = [
      await signIn(operator.email),
      await signIn(operator.email),
      await signIn(operator.email),
    ];
    const browser = browserOf(third);
    const page = await browser.open('/dashboard/sessions');
    const { id } = await current(first);
    for (const person of [first, second, third]) assert(page.text.includes((await current(person)).id));
    assert.match(page.text, /this browser/);
    const { action, values } = page.formOf('End');
    values.set('session', id);
    const ended = await browser.send(action, values);
    assert.match(ended.notices.join(' '), /The session is ended/);
    assertProblem(await first.get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
    const colleague = await buildPerson(operator, 'member');
    values.delete('key'); // which stands for the form of the first session
    values.set('session', (await current(colleague)).id);
    assert.equal((await browser.send(action, values)).status, 404);
    const all = await ended.press('End all others');
    assert.doesNotMatch(all.text, /End all others/);
    assertProblem(await second.get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
    await current(third);
    await current(colleague);
  });
});

describe('Switching to another operator', () => {
  const atPage = async (browser: WebBrowser) => (await browser.open('/dashboard')).follow('Switch operator');

  it('opens a session for it in place of the first, which ends no later', async () => {
    const [from, to] = [
      await buildOperator(),
      await buildOperator({ name: `<b>${unique('to')}`, email: `${unique('to')}@example.test` }),
    ];
    await insertMember(to.operatorId, { email: from.email.toUpperCase(), role: 'member' });
    const person = await signIn(from.email, from.operatorId);
    const before = await current(person);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      update dashboard_sessions set expires_at = clock_timestamp() + interval '5 minutes' where id = ${before.id}`);
    const { expires_at: end } = await current(person);
    const browser = browserOf(person);
    const page = await atPage(browser);
    assert(!page.html.includes('<b>'));
    const home = await page.press(to.name);
    assert.match(home.account, new RegExp(to.name.replace('<b>', '')));
    assertProblem(await person.get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
    const cookie = `carnet_session=${browser.cookies.get('carnet_session') ?? ''}`;
    const after = assertStatus(
      await person.get<Session & { member: { role: string } }>(`${SESSIONS}/current`, { cookie }),
      200,
    );
    assert.deepEqual([after.member.role, after.expires_at], ['member', end]);
    const [started] = await actionsOf(to);
    assert.deepEqual([started?.action, started?.target], ['dashboard_session.started', after.id]);
    const [ended] = await actionsOf(from);
    assert.deepEqual([ended?.action, ended?.target], ['dashboard_session.ended', before.id]);
  });

  it('leads people of a suspended operator to another one, from the page that refuses them', async () => {
    const [away, to] = [await buildOperator(), await buildOperator()];
    await insertMember(to.operatorId, { email: away.email, role: 'member' });
    const browser = browserOf(await signIn(away.email, away.operatorId));
    await suspend(away.operatorId);
    const refused = await browser.open('/dashboard');
    assert.equal(refused.status, 403);
    const page = await refused.follow('Switch to another operator');
    assert.equal(page.status, 200);
    assert.match((await page.press(to.name)).account, new RegExp(to.name));
    assert.equal((await browser.open('/dashboard')).status, 200);
  });

  it('leads to no operator of others, none that only invites, and none that is suspended', async () => {
    const from = await buildOperator();
    const [foreign, inviting, away] = [
      await buildOperator(),
      await buildOperator({ tier: 'business' }),
      await buildOperator(),
    ];
    assertStatus(await inviting.post('/v1/members', { email: from.email, role: 'member' }), 201);
    await insertMember(away.operatorId, { email: from.email, role: 'owner' });
    await suspend(away.operatorId);
    const browser = browserOf(await signIn(from.email, from.operatorId));
    const page = await atPage(browser);
    assert.match(page.text, /a member of no other operator/);
    for (const { operatorId } of [foreign, inviting, away]) {
      const refused = await browser.send('/dashboard/switch', new URLSearchParams({ operator_id: operatorId }));
      assert.equal(refused.status, 404);
      assert.match(refused.account, new RegExp(from.name));
    }
    const elsewhere = await browser.send(
      '/dashboard/switch',
      new URLSearchParams({ operator_id: foreign.operatorId }),
      { origin: 'https://evil.example' },
    );
    assert.equal(elsewhere.status, 403);
  });
});
