import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Member } from '../../src/accounts/members/schema.ts';
import { addressMac } from '../../src/dashboard/address-mac.ts';
import { dashboardRoutes } from '../../src/dashboard/routes.ts';
import type { DashboardSession } from '../../src/dashboard/schema.ts';
import { sql } from '../../src/database/pool.ts';
import { mailRoutes } from '../../src/mail/routes.ts';
import { openShell, type Shell } from '../http/support/shell.ts';
import { buildAgent, buildOperator, suspend, unique, type TestOperator } from '../support/factories.ts';
import { mailedCode, browser, codeFor, cookieOf, mailsTo, moveCode, signIn, type Message } from '../support/people.ts';
import {
  anonymous,
  assertProblem,
  assertStatus,
  platform,
  requester,
  service,
  type Reply,
} from '../support/service.ts';

const SESSIONS = '/v1/dashboard/sessions';
const requestCode = (email: string) => anonymous().post(SESSIONS, { email });
const verify = (body: Record<string, unknown>): Promise<Reply<Record<string, unknown> & DashboardSession>> =>
  anonymous().post<Record<string, unknown> & DashboardSession>(`${SESSIONS}/verify`, body);
const nobody = (): string => `${unique('nobody')}@example.test`;
/** A wrong code. */
const wrong = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');

/** An answer without what differs anyway: date, request id, length, and how much of the rate limit is left. */
const comparable = ({ status, headers, body }: Reply): unknown => {
  const names = [...headers.keys()].filter(
    (name) => !['date', 'x-request-id', 'content-length'].includes(name) && !name.includes('ratelimit'),
  );
  const { request_id: _id, ...rest } = body;
  const value = (name: string) => headers.get(name)?.replace(/=[\w-]{43};/, '=…;');
  return { status, body: rest, headers: names.map((name) => [name, value(name)]) };
};

describe('POST /v1/dashboard/sessions', () => {
  it('mails six digits that stand alone, and a link to where they are entered', async () => {
    const { email } = await buildOperator();
    assert.deepEqual(assertStatus(await requestCode(email), 202), { sent: true });
    const [mail, ...others] = await mailsTo(email);
    assert.deepEqual(others, []);
    assert.equal(mail?.to, email);
    assert.equal(mail?.channel, 'email');
    const code = await codeFor(email);
    assert.equal(/\b\d{6}\b/.exec(mail?.text ?? '')?.[0], code, 'it is the first thing that looks like a code');
    const link = /^http\S+$/m.exec(mail?.text ?? '')?.[0];
    assert.equal(link, `${service().baseUrl}/dashboard/sign-in/code`, 'the link has neither code nor address');
  });

  it('answers the same for an unknown address, and mails nothing', async () => {
    const [known, unknown] = [(await buildOperator()).email, nobody()];
    assert.deepEqual(comparable(await requestCode(unknown)), comparable(await requestCode(known)));
    assert.deepEqual(await mailsTo(unknown), []);
  });

  for (const [whose, address] of [
    ['a member', async () => (await buildOperator()).email],
    ['nobody', () => Promise.resolve(nobody())],
  ] as const) {
    it(`refuses another code within 30 seconds, and gives Retry-After, to an address of ${whose}`, async () => {
      const email = await address();
      const began = performance.now();
      assertStatus(await requestCode(email), 202);
      const early = await requestCode(email);
      assertProblem(early, 'RATE_LIMITED');
      const wait = Number(early.headers.get('retry-after'));
      const passed = (performance.now() - began) / 1_000;
      assert(wait >= 30 - passed && wait <= 30, `${wait} after ${passed} s`);
      await moveCode(email, 'sent_at', -31);
      assertStatus(await requestCode(email), 202);
    });

    it(`sends five codes within the lifetime of one and not one more, to an address of ${whose}`, async () => {
      const email = await address();
      for (let sent = 0; sent < 5; sent += 1) {
        assertStatus(await requestCode(email), 202);
        await moveCode(email, 'sent_at', -31);
      }
      const sixth = await requestCode(email);
      assertProblem(sixth, 'RATE_LIMITED');
      const wait = Number(sixth.headers.get('retry-after'));
      assert(wait > 400 && wait <= 600 - 5 * 31, `${wait}`);
      await moveCode(email, 'sent_at', -600);
      assertStatus(await requestCode(email), 202);
    });
  }

  it('counts an address regardless of its case, and sends one code for ten requests in parallel', async () => {
    const { email } = await buildOperator();
    const spelled = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? email : email.toUpperCase()));
    const replies = await Promise.all(spelled.map(requestCode));
    assert.equal(replies.filter(({ status }) => status === 202).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 202)) assertProblem(reply, 'RATE_LIMITED');
    assert.equal((await mailsTo(email)).length, 1);
  });

  it('takes no Idempotency-Key: each code is another', async () => {
    const { email } = await buildOperator();
    const headers = { 'idempotency-key': unique('key') };
    assertStatus(await anonymous().post(SESSIONS, { email }, headers), 202);
    assertProblem(await anonymous().post(SESSIONS, { email }, headers), 'RATE_LIMITED');
  });

  for (const [fault, body, path] of [
    ['no e-mail', {}, 'email'],
    ['an e-mail that is none', { email: 'ada' }, 'email'],
    ['two addresses', { email: 'a@example.test,b@example.test' }, 'email'],
    ['a line break', { email: 'a@example.test\r\nBcc: b@example.test' }, 'email'],
    ['an unknown property', { email: 'a@example.test', code: '123456' }, 'code'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await anonymous().post(SESSIONS, body), 'VALIDATION_ERROR', path);
    });
  }
});

describe('POST /v1/dashboard/sessions/verify', () => {
  let operator: TestOperator;
  let code: string;
  beforeEach(async () => {
    operator = await buildOperator();
    code = await mailedCode(operator.email);
  });

  it('signs in with the code, and puts the token into a cookie that scripts and other sites do not get', async () => {
    const reply = await verify({ email: operator.email, code });
    const session = assertStatus(reply, 200);
    assert.match(session.id, /^dsh_[0-9A-Z]{26}$/);
    assert.deepEqual(session.operator, { id: operator.operatorId, name: operator.name });
    assert.deepEqual([session.member.email, session.member.role], [operator.email, 'owner']);
    assert.equal(Date.parse(session.expires_at) - Date.parse(session.created_at), 12 * 3_600_000);
    const cookies = reply.headers.getSetCookie();
    assert.equal(cookies.length, 1);
    assert.match(cookies[0] ?? '', /^carnet_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    assert(!reply.text.includes(cookieOf(reply).slice('carnet_session='.length)), 'the token is in the cookie alone');
    const shown = await browser(cookieOf(reply)).get(`${SESSIONS}/current`);
    assert.deepEqual(assertStatus(shown, 200), session);
  });

  it('takes the address in any case', async () => {
    assertStatus(await verify({ email: operator.email.toUpperCase(), code }), 200);
  });

  it('takes a code once, of ten in parallel too', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => verify({ email: operator.email, code })));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertProblem(reply, 'CODE_EXPIRED');
  });

  it('opens each session under a new token, no matter which cookie the request brings (session fixation), and ends the one of that cookie', async () => {
    const reply = await verify({ email: operator.email, code });
    const [first, { id }] = [cookieOf(reply), assertStatus(reply, 200)];
    const elsewhere = cookieOf(await verify({ email: operator.email, code: await mailedCode(operator.email) }));
    assertStatus(await browser(first).get(`${SESSIONS}/current`), 200);
    const other = await buildOperator();
    const brought = { cookie: `${first}; carnet_session=${'A'.repeat(43)}`, origin: 'https://elsewhere.example' };
    const enter = async (digits: string): Promise<Reply> =>
      anonymous().post(`${SESSIONS}/verify`, { email: other.email, code: digits }, brought);
    const theirs = await mailedCode(other.email);
    assertProblem(await enter(wrong(theirs)), 'INVALID_CODE');
    assertStatus(await browser(first).get(`${SESSIONS}/current`), 200);
    const again = await enter(theirs);
    assertStatus(again, 200);
    assert.notEqual(cookieOf(again), first);
    assertProblem(await browser(first).get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
    for (const cookie of [elsewhere, cookieOf(again)])
      assertStatus(await browser(cookie).get(`${SESSIONS}/current`), 200);
    const trail = await operator.get<{ audit_events: { action: string; target: string; actor: string }[] }>(
      '/v1/audit-events',
    );
    const [event] = assertStatus(trail, 200).audit_events;
    assert.deepEqual([event?.action, event?.target], ['dashboard_session.ended', id]);
    assert.match(event?.actor ?? '', /^mem_/);
    const chosen = `carnet_session=${'A'.repeat(43)}`;
    assertProblem(await browser(chosen).get(`${SESSIONS}/current`), 'UNAUTHENTICATED');
  });

  it('refuses a wrong code and says how many tries are left', async () => {
    const reply = await verify({ email: operator.email, code: wrong(code) });
    assertProblem(reply, 'INVALID_CODE');
    assert.deepEqual([reply.body.verified, reply.body.tries_left], [false, 4]);
    assert.deepEqual(reply.headers.getSetCookie(), []);
    assertStatus(await verify({ email: operator.email, code }), 200);
  });

  it('ends the code with the fifth wrong try, of fifty in parallel too', async () => {
    const guesses = Array.from({ length: 50 }, (_, at) => verify({ email: operator.email, code: wrong(code, at + 1) }));
    const replies = await Promise.all(guesses);
    assert.equal(replies.filter(({ body }) => body.code === 'INVALID_CODE').length, 5);
    assert.equal(replies.filter(({ body }) => body.code === 'CODE_EXPIRED').length, 45);
    const right = await verify({ email: operator.email, code });
    assertProblem(right, 'CODE_EXPIRED');
    assert.equal(right.body.verified, false);
    const next = await mailedCode(operator.email);
    assertStatus(await verify({ email: operator.email, code: next }), 200);
  });

  it('refuses a code whose time is over', async () => {
    await moveCode(operator.email, 'expires_at', -600);
    assertProblem(await verify({ email: operator.email, code }), 'CODE_EXPIRED');
  });

  it('refuses the code before the last one', async () => {
    const newer = await mailedCode(operator.email);
    if (newer !== code) assertProblem(await verify({ email: operator.email, code }), 'INVALID_CODE');
    assertStatus(await verify({ email: operator.email, code: newer }), 200);
  });

  it('refuses the code of another address', async () => {
    const other = await buildOperator();
    const theirs = await mailedCode(other.email);
    if (theirs !== code) assertProblem(await verify({ email: other.email, code }), 'INVALID_CODE');
    assertProblem(await verify({ email: (await buildOperator()).email, code }), 'CODE_EXPIRED');
  });

  it('answers the same for an unknown address', async () => {
    const [email, requested] = [nobody(), nobody()];
    const stranger = await buildOperator();
    assert.deepEqual(
      comparable(await verify({ email, code })),
      comparable(await verify({ email: stranger.email, code })),
    );
    assertStatus(await requestCode(requested), 202);
    for (let left = 4; left >= 0; left -= 1) {
      const guess = wrong(code, left + 1);
      const [unknown, known] = [
        await verify({ email: requested, code: guess }),
        await verify({ email: operator.email, code: guess }),
      ];
      assert.deepEqual(comparable(unknown), comparable(known));
    }
  });

  it('lets people of several operators choose one, and leaves the code valid', async () => {
    const second = await buildOperator({ email: operator.email });
    const reply = await verify({ email: operator.email, code });
    assertProblem(reply, 'OPERATOR_CHOICE_REQUIRED');
    assert.deepEqual(reply.body.operators, [
      { id: operator.operatorId, name: operator.name, role: 'owner', status: 'joined' },
      { id: second.operatorId, name: second.name, role: 'owner', status: 'joined' },
    ]);
    const stranger = await buildOperator();
    const foreign = await verify({ email: operator.email, code, operator_id: stranger.operatorId });
    assertProblem(foreign, 'NOT_FOUND');
    const session = assertStatus(await verify({ email: operator.email, code, operator_id: second.operatorId }), 200);
    assert.equal(session.operator.id, second.operatorId);
  });

  it('shows the operators of an address to nobody without the code', async () => {
    await buildOperator({ email: operator.email });
    const reply = await verify({ email: operator.email, code: wrong(code) });
    assertProblem(reply, 'INVALID_CODE');
    assert.equal('operators' in reply.body, false);
  });

  it('refuses people of a suspended operator, and leaves it out of the choice', async () => {
    await suspend(operator.operatorId);
    assertProblem(await verify({ email: operator.email, code }), 'OPERATOR_SUSPENDED');
    assertProblem(await verify({ email: operator.email, code: wrong(code) }), 'INVALID_CODE');
    const second = await buildOperator({ email: operator.email });
    const session = assertStatus(await verify({ email: operator.email, code }), 200);
    assert.equal(session.operator.id, second.operatorId);
  });

  describe('to an operator that has invited somebody', () => {
    const invite = async (by: TestOperator, email: string, role = 'member'): Promise<void> =>
      void assertStatus(await by.post('/v1/members', { email, role }), 201);
    const membersOf = async (of: TestOperator): Promise<Member[]> =>
      assertStatus(await of.get<{ members: Member[] }>('/v1/members'), 200).members;

    it('is done by naming it, which makes them a member', async () => {
      const email = `${unique('person')}@example.test`;
      await invite(operator, email);
      assert.deepEqual(
        (await membersOf(operator)).map((one) => [one.email, one.status]),
        [
          [email, 'invited'],
          [operator.email, 'joined'],
        ],
      );
      const theirs = await mailedCode(email);
      const choice = await verify({ email, code: theirs });
      assertProblem(choice, 'OPERATOR_CHOICE_REQUIRED');
      assert.deepEqual(
        (choice.body.operators as { id: string; status: string }[]).map(({ id, status }) => [id, status]),
        [[operator.operatorId, 'invited']],
        'who is a member of none is shown what they are invited to',
      );
      const session = assertStatus(await verify({ email, code: theirs, operator_id: operator.operatorId }), 200);
      assert.equal(session.operator.id, operator.operatorId);
      assert.equal((await membersOf(operator)).find((one) => one.email === email)?.status, 'joined');
      const again = await mailedCode(email);
      assert.equal(assertStatus(await verify({ email, code: again }), 200).operator.id, operator.operatorId);
    });

    it('changes nothing for who is a member elsewhere, unless they name it', async () => {
      const stranger = await buildOperator();
      await invite(stranger, operator.email);
      const session = assertStatus(await verify({ email: operator.email, code }), 200);
      assert.equal(session.operator.id, operator.operatorId, 'they need not choose');
      const third = await buildOperator({ email: operator.email });
      const theirs = await mailedCode(operator.email);
      const choice = await verify({ email: operator.email, code: theirs });
      assertProblem(choice, 'OPERATOR_CHOICE_REQUIRED');
      assert.deepEqual(
        (choice.body.operators as { id: string }[]).map(({ id }) => id),
        [operator.operatorId, third.operatorId],
      );
      assert.equal((await membersOf(stranger)).find((one) => one.email === operator.email)?.status, 'invited');
      const accepted = assertStatus(
        await verify({ email: operator.email, code: theirs, operator_id: stranger.operatorId }),
        200,
      );
      assert.equal(accepted.operator.id, stranger.operatorId);
    });

    it('leaves nobody who is invited to decide anything before: not as the last owner, nor as the second administrator', async () => {
      const [owner] = await membersOf(operator);
      const person = await signIn(operator.email);
      assertStatus(await person.post('/v1/members', { email: `${unique('o')}@example.test`, role: 'owner' }), 201);
      assertProblem(await person.delete(`/v1/members/${owner?.id}`), 'INVALID_STATE');
      const { id } = await buildAgent(operator, { accountability: 'enforced' });
      const refused = await operator.patch(`/v1/agents/${id}`, { accountability: 'logged' });
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assertStatus(await person.post(`/v1/governance/approvals/${String(refused.body.approval_id)}/approve`), 200);
    });
  });

  it('refuses somebody who was deleted after the code was sent', async () => {
    const email = `${unique('person')}@example.test`;
    const member = assertStatus(await operator.post<{ id: string }>('/v1/members', { email, role: 'member' }), 201);
    const theirs = await mailedCode(email);
    assertStatus(await operator.delete(`/v1/members/${member.id}`), 200);
    assertProblem(await verify({ email, code: theirs }), 'INVALID_CODE');
  });

  it('is written to the audit trail of the operator', async () => {
    const { id, member } = assertStatus(await verify({ email: operator.email, code }), 200);
    const trail = await operator.get<{ audit_events: { action: string; target: string; actor: string }[] }>(
      '/v1/audit-events',
    );
    const [event] = assertStatus(trail, 200).audit_events;
    assert.deepEqual([event?.action, event?.target, event?.actor], ['dashboard_session.started', id, member.id]);
  });

  for (const [fault, body, path] of [
    ['no code', { email: 'a@example.test' }, 'code'],
    ['a code of five digits', { email: 'a@example.test', code: '12345' }, 'code'],
    ['digits of another script', { email: 'a@example.test', code: '١٢٣٤٥٦' }, 'code'],
    ['a code that is a number', { email: 'a@example.test', code: 123_456 }, 'code'],
    ['no e-mail', { code: '123456' }, 'email'],
    ['an unknown property', { email: 'a@example.test', code: '123456', role: 'owner' }, 'role'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await verify(body), 'VALIDATION_ERROR', path);
    });
  }

  it('signs the demo publisher in, as credentials.json says', async () => {
    const { email, operator_id: operatorId } = service().credentials;
    const theirs = await mailedCode(email);
    assert.equal(assertStatus(await verify({ email, code: theirs }), 200).operator.id, operatorId);
  });
});

describe('Signing in while strangers try the same address', () => {
  /** A browser: it keeps the cookie that names its requests, and a network of its own where a proxy stands in front. */
  class Browser {
    readonly #shell: Shell;
    readonly #network: string;
    #cookie: string | undefined;

    constructor(shell: Shell, network: string) {
      this.#shell = shell;
      this.#network = network;
    }

    #headers(): Record<string, string> {
      return { 'x-forwarded-for': this.#network, ...(this.#cookie !== undefined && { cookie: this.#cookie }) };
    }

    async request(email: string): Promise<Reply> {
      const reply = await this.#shell.anonymous.post(SESSIONS, { email }, this.#headers());
      if (reply.status === 202) this.#cookie = cookieOf(reply);
      return reply;
    }

    enter(email: string, code: string): Promise<Reply> {
      return this.#shell.anonymous.post(`${SESSIONS}/verify`, { email, code }, this.#headers());
    }

    /** Without its cookie. */
    guess(email: string, code: string): Promise<Reply> {
      return this.#shell.anonymous.post(`${SESSIONS}/verify`, { email, code }, { 'x-forwarded-for': this.#network });
    }
  }

  let shell: Shell;
  let operator: TestOperator;
  before(async () => {
    shell = await openShell({ routes: [...dashboardRoutes, ...mailRoutes], settings: { TRUST_PROXY_HOPS: '1' } });
  });
  after(() => shell.close());
  beforeEach(async () => {
    operator = await buildOperator();
  });

  const HOME = '192.0.2.1';
  const ELSEWHERE = '198.51.100.1';
  const shellMails = async (email: string): Promise<Message[]> =>
    assertStatus(
      await shell.platform.get<{ messages: Message[] }>(`/v1/admin/outbox?to=${encodeURIComponent(email)}`),
      200,
    ).messages;
  const newestCode = async (email: string): Promise<string> =>
    /^\d{6}$/m.exec((await shellMails(email))[0]?.text ?? '')?.[0] ?? assert.fail('no code');
  /** Rows of this shell are under its own key, so its addresses are found by their number. */
  const older = (seconds: number): Promise<unknown> =>
    shell.context.pool.query(sql.type(z.object({}))`
      update sign_in_codes set sent_at = sent_at - make_interval(secs => ${seconds})
      where address = ${addressMac(shell.context.encryption, operator.email)}`);

  it('wrong codes of others use up none of the tries of the browser that requested the code', async () => {
    const person = new Browser(shell, HOME);
    const stranger = new Browser(shell, ELSEWHERE);
    assertStatus(await person.request(operator.email), 202);
    const code = await newestCode(operator.email);
    for (let at = 1; at <= 5; at += 1)
      assertProblem(await stranger.guess(operator.email, wrong(code, at)), 'INVALID_CODE');
    assertProblem(await stranger.guess(operator.email, code), 'CODE_EXPIRED');
    assertProblem(await new Browser(shell, HOME).guess(operator.email, code), 'CODE_EXPIRED');
    assertStatus(await person.enter(operator.email, code), 200);
  });

  it('codes that others request take neither the code nor the turn of a person', async () => {
    const person = new Browser(shell, HOME);
    assertStatus(await person.request(operator.email), 202);
    const code = await newestCode(operator.email);
    const stranger = new Browser(shell, ELSEWHERE);
    assertStatus(await stranger.request(operator.email), 202);
    for (let at = 1; at <= 5; at += 1) await stranger.enter(operator.email, wrong(code, at));
    assertProblem(await stranger.request(operator.email), 'RATE_LIMITED');
    assertStatus(await person.enter(operator.email, code), 200);
    assertStatus(await new Browser(shell, '203.0.113.1').request(operator.email), 202);
  });

  it('the browser of another request of the same network leaves it alone as well', async () => {
    const person = new Browser(shell, HOME);
    assertStatus(await person.request(operator.email), 202);
    const code = await newestCode(operator.email);
    await older(31);
    const neighbour = new Browser(shell, HOME);
    assertStatus(await neighbour.request(operator.email), 202);
    for (let at = 1; at <= 6; at += 1) await neighbour.enter(operator.email, wrong(code, at));
    assertStatus(await person.enter(operator.email, code), 200);
  });

  it('a day has ten codes for a network and twenty for all that have not signed in before; who has, has turns of their own', async () => {
    const person = new Browser(shell, HOME);
    assertStatus(await person.request(operator.email), 202);
    assertStatus(await person.enter(operator.email, await newestCode(operator.email)), 200);
    for (const network of [ELSEWHERE, '198.51.100.2']) {
      for (let sent = 0; sent < 10; sent += 1) {
        assertStatus(await new Browser(shell, network).request(operator.email), 202);
        await older(601);
      }
      const over = await new Browser(shell, network).request(operator.email);
      assertProblem(over, 'RATE_LIMITED');
      assert(Number(over.headers.get('retry-after')) > 3_600);
    }
    assertProblem(await new Browser(shell, '203.0.113.1').request(operator.email), 'RATE_LIMITED');
    assertStatus(await person.request(operator.email), 202);
    assertStatus(await person.enter(operator.email, await newestCode(operator.email)), 200);
    const { audit_events: events } = assertStatus(
      await operator.get<{ audit_events: { action: string }[] }>('/v1/audit-events'),
      200,
    );
    assert.equal(events.filter(({ action }) => action === 'dashboard_session.codes_used_up').length, 1);
    await older(24 * 3_600);
    assertStatus(await new Browser(shell, '203.0.113.1').request(operator.email), 202);
  });

  it('a code that another device requested is taken in a browser whose own requests are over', async () => {
    const desk = new Browser(shell, HOME);
    assertStatus(await desk.request(operator.email), 202);
    assertStatus(await desk.enter(operator.email, await newestCode(operator.email)), 200);
    const phone = new Browser(shell, ELSEWHERE);
    assertStatus(await phone.request(operator.email), 202);
    assertStatus(await desk.enter(operator.email, await newestCode(operator.email)), 200);
  });

  it('a day has twenty wrong codes for browsers that requested none; the others enter theirs', async () => {
    const codes: string[] = [];
    const persons: Browser[] = [];
    for (let at = 0; at < 5; at += 1) {
      const person = new Browser(shell, `192.0.2.${at + 10}`);
      assertStatus(await person.request(operator.email), 202);
      persons.push(person);
      const code = await newestCode(operator.email);
      codes.push(code);
      for (let guess = 1; guess <= 4; guess += 1)
        assertProblem(await new Browser(shell, ELSEWHERE).guess(operator.email, wrong(code, guess)), 'INVALID_CODE');
    }
    const over = await new Browser(shell, ELSEWHERE).guess(operator.email, codes[4] ?? '');
    assertProblem(over, 'RATE_LIMITED');
    assert(Number(over.headers.get('retry-after')) > 3_600);
    assertStatus((await persons[4]?.enter(operator.email, codes[4] ?? '')) ?? assert.fail(), 200);
  });

  it('a wrong code leaves an audit event with the operator of the address', async () => {
    const person = new Browser(shell, HOME);
    assertStatus(await person.request(operator.email), 202);
    const code = await newestCode(operator.email);
    await person.enter(operator.email, wrong(code));
    await new Browser(shell, ELSEWHERE).guess(operator.email, wrong(code));
    const { audit_events: events } = assertStatus(
      await operator.get<{ audit_events: { action: string; actor: string; target: string; detail: unknown }[] }>(
        '/v1/audit-events',
      ),
      200,
    );
    const refused = events.filter(({ action }) => action === 'dashboard_session.refused');
    assert.deepEqual(
      refused.map(({ actor, detail }) => [actor, detail]),
      [
        ['sign-in', { requested_here: false }],
        ['sign-in', { requested_here: true }],
      ],
    );
    assert.match(refused[0]?.target ?? '', /^mem_/);
  });

  it('names the request by a cookie of its own, and keeps it', async () => {
    const first = await shell.anonymous.post(SESSIONS, { email: operator.email });
    const [set = ''] = first.headers.getSetCookie();
    assert.match(set, /^carnet_sign_in=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/);
    await older(31);
    const again = await shell.anonymous.post(SESSIONS, { email: operator.email }, { cookie: cookieOf(first) });
    assert.equal(cookieOf(again), cookieOf(first));
  });
});

describe('Calls of signing in', () => {
  it('are a 600th of ANONYMOUS_RATE_LIMIT_PER_MINUTE of one address of the network, of each of the two', async () => {
    const shell = await openShell({
      routes: dashboardRoutes,
      settings: { RATE_LIMIT_PER_MINUTE: '600', ANONYMOUS_RATE_LIMIT_PER_MINUTE: '2400', TRUST_PROXY_HOPS: '1' },
    });
    try {
      const call = (path: string, network: string) =>
        shell.anonymous.post(path, { email: nobody(), code: '123456' }, { 'x-forwarded-for': network });
      for (const path of [SESSIONS, `${SESSIONS}/verify`]) {
        for (let nth = 0; nth < 4; nth += 1) assert.notEqual((await call(path, '192.0.2.7')).status, 429);
        assertProblem(await call(path, '192.0.2.7'), 'RATE_LIMITED');
        assert.notEqual((await call(path, '192.0.2.8')).status, 429);
      }
    } finally {
      await shell.close();
    }
  });

  for (const [kind, head] of [
    ['a text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['nothing', null],
  ] as const) {
    it(`do not count ${kind}, which a page of another site can make a browser send`, async () => {
      const shell = await openShell({ routes: dashboardRoutes, settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '600' } });
      try {
        for (const path of [SESSIONS, `${SESSIONS}/verify`]) {
          const sent =
            head === null ? {} : { headers: head, body: JSON.stringify({ email: nobody(), code: '123456' }) };
          assert.equal((await fetch(`${shell.baseUrl}${path}`, { method: 'POST', ...sent })).status, 415);
          const own = await shell.anonymous.post(path, {
            email: nobody(),
            ...(path !== SESSIONS && { code: '123456' }),
          });
          assert.notEqual(own.status, 429, path);
        }
      } finally {
        await shell.close();
      }
    });
  }
});

describe('GET /v1/admin/outbox', () => {
  it('lists what stays here, newest first, by address without regard to case', async () => {
    const { email } = await buildOperator();
    await mailedCode(email);
    await mailedCode(email);
    const mails = await mailsTo(email.toUpperCase());
    assert.equal(mails.length, 2);
    assert(mails.every(({ id }) => /^msg_[0-9A-Z]{26}$/.test(id)));
    assert((mails[0]?.created_at ?? '') >= (mails[1]?.created_at ?? ''));
    const all = assertStatus(
      await platform().get<{ messages: unknown[]; total: number }>('/v1/admin/outbox?limit=1'),
      200,
    );
    assert.equal(all.messages.length, 1);
    assert(all.total >= 2);
  });

  it('is for the platform key', async () => {
    assertProblem(await anonymous().get('/v1/admin/outbox'), 'UNAUTHENTICATED');
    assertProblem(await requester(service().credentials.api_key).get('/v1/admin/outbox'), 'ADMIN_REQUIRED');
  });
});
