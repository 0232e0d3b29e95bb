import assert from 'node:assert/strict';
import { dashboardRoutes } from '../../src/dashboard/routes.ts';
import { mailRoutes } from '../../src/mail/routes.ts';
import { openShell, type Shell } from '../http/support/shell.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { cookieOf, type Message } from '../support/people.ts';
import { assertProblem, assertStatus } from '../support/service.ts';

const SESSIONS = '/v1/dashboard/sessions';
const BASE = 'https://carnet.example';

describe('Signing in to a service behind https', () => {
  let shell: Shell;
  let operator: TestOperator;
  let code: string;
  before(async () => {
    shell = await openShell({ routes: [...dashboardRoutes, ...mailRoutes], settings: { PUBLIC_BASE_URL: BASE } });
    operator = await buildOperator();
    assertStatus(await shell.anonymous.post(SESSIONS, { email: operator.email }), 202);
    const outbox = await shell.platform.get<{ messages: Message[] }>(`/v1/admin/outbox?to=${operator.email}`);
    const { text } = assertStatus(outbox, 200).messages[0] ?? assert.fail('a mail');
    assert(text.includes(`${BASE}/dashboard/sign-in/code\n`));
    code = /^\d{6}$/m.exec(text)?.[0] ?? assert.fail('a code');
  });
  after(() => shell.close());

  it('sets a Secure cookie, and takes changes from https alone', async () => {
    const reply = await shell.anonymous.post(`${SESSIONS}/verify`, { email: operator.email, code });
    assertStatus(reply, 200);
    assert.match(
      reply.headers.getSetCookie()[0] ?? '',
      /^__Host-carnet_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = cookieOf(reply);
    const shown = (sent: string) => shell.anonymous.get(`${SESSIONS}/current`, { cookie: sent });
    assertProblem(await shown(cookie.replace('__Host-', '')), 'UNAUTHENTICATED');
    assertStatus(await shown(cookie), 200);
    const end = (origin: string) => shell.anonymous.delete(`${SESSIONS}/current`, { cookie, origin });
    for (const origin of ['http://carnet.example', 'https://localhost', 'https://carnet.example.evil', `${BASE}:444`]) {
      assertProblem(await end(origin), 'ORIGIN_FORBIDDEN');
    }
    const ended = await end(BASE);
    assert.match(assertStatus(ended, 200) && (ended.headers.getSetCookie()[0] ?? ''), /Max-Age=0; .*; Secure$/);
    // Without numbers and request ids, in which the six digits may occur by chance.
    const logged = JSON.stringify(shell.logged(), (name, value: unknown) =>
      typeof value === 'number' || name === 'requestId' ? null : value,
    );
    assert(logged.includes('"operation":"signIn"'));
    for (const secret of [code, cookie.slice('__Host-carnet_session='.length), operator.email]) {
      assert(!logged.includes(secret), secret);
    }
  });
});

describe('GET /v1/admin/outbox of a service with a mail server', () => {
  const smtp = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'carnet@example.test' };

  it('lists SMS while nobody sends them', async () => {
    const shell = await openShell({ routes: mailRoutes, settings: smtp });
    try {
      assertStatus(await shell.platform.get('/v1/admin/outbox'), 200);
    } finally {
      await shell.close();
    }
  });

  it('is 404 where SMS are sent too, and still for the platform key', async () => {
    const twilio = {
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'x'.repeat(32),
      TWILIO_FROM: 'Carnet',
    };
    const settings = { ...smtp, ...twilio };
    const shell = await openShell({ routes: mailRoutes, settings });
    try {
      assertProblem(await shell.platform.get('/v1/admin/outbox'), 'NOT_FOUND');
      assertProblem(await shell.as((await buildOperator()).key ?? '').get('/v1/admin/outbox'), 'ADMIN_REQUIRED');
    } finally {
      await shell.close();
    }
  });
});
