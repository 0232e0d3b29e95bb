import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dashboardRoutes } from '../../../src/dashboard/routes.ts';
import { openShell } from '../../http/support/shell.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { baseOrigin, codeFor, mailedCode, mailsTo, moveCode, signIn } from '../../support/people.ts';
import { assertStatus, platform, service } from '../../support/service.ts';
import { browserOf, WebBrowser, type WebPage } from '../../support/web-browser.ts';

const SIGN_IN = '/dashboard/sign-in';
const hostile = `"><script>alert(1)</script>`;

/** A wrong code. */
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Requests a code in a new browser. */
async function requested(email: string, at = SIGN_IN): Promise<{ browser: WebBrowser; page: WebPage }> {
  const browser = new WebBrowser();
  const page = await (await browser.open(at)).press('Send me a code', { fields: { email } });
  return { browser, page };
}

describe('The pages of signing in', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator();
  });

  it('take the address, then the code, and lead to the dashboard, without a script', async () => {
    const { browser, page } = await requested(operator.email.toUpperCase());
    assert.deepEqual([page.status, page.title], [200, 'Enter the code']);
    const code = await codeFor(operator.email);
    assert(!page.html.includes(code), 'the code is in the mail alone');
    const dashboard = await page.press('Sign in', { fields: { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` } });
    assert.deepEqual([dashboard.status, dashboard.path, dashboard.title], [200, '/dashboard', operator.name]);
    assert.match(dashboard.account, new RegExp(operator.email));
    assert.match(browser.cookies.get('carnet_session') ?? '', /^[\w-]{43}$/);
    assert.doesNotMatch(page.html + dashboard.html, /<script(?! src="\/assets\/)|\son\w+=|\sstyle=/);
  });

  it('set the cookies that the calls set', async () => {
    const sent = await fetch(`${service().baseUrl}${SIGN_IN}`, {
      method: 'POST',
      headers: { origin: baseOrigin() },
      body: new URLSearchParams({ email: operator.email }),
    });
    assert.match(
      sent.headers.get('set-cookie') ?? '',
      /^carnet_sign_in=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const code = await codeFor(operator.email);
    const entered = await fetch(`${service().baseUrl}${SIGN_IN}/code`, {
      method: 'POST',
      headers: { origin: baseOrigin() },
      body: new URLSearchParams({ email: operator.email, code }),
      redirect: 'manual',
    });
    assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/dashboard']);
    assert.match(
      entered.headers.get('set-cookie') ?? '',
      /^carnet_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('answer the same for an address that nobody has', async () => {
    const email = `${unique('nobody')}@example.test`;
    const [known, unknown] = [(await requested(operator.email)).page, (await requested(email)).page];
    const without = ({ text }: WebPage, address: string): string =>
      text.replaceAll(address, '').replaceAll(encodeURIComponent(address), '');
    assert.equal(without(unknown, email), without(known, operator.email));
    assert.deepEqual(await mailsTo(email), []);
  });

  it('say where the mail is while this instance sends none, and show no code', async () => {
    const values = new URLSearchParams({ email: operator.email });
    const behindProxy = { origin: baseOrigin(), 'x-forwarded-for': '192.0.2.1' };
    const page = await new WebBrowser().send(SIGN_IN, values, behindProxy);
    const [, command = ''] = /paste this in the folder of the project: (.*) Elsewhere/.exec(page.text) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['-c', command.replace(' curl ', '; curl ')], {
      env: { ...process.env, DATA_DIR: '/nowhere' },
    });
    assert.equal(stdout, `${await codeFor(operator.email)}\n`);
    assert.match(page.text, /This instance sends no mail/);
    assert(!page.html.includes(service().credentials.admin_api_key));
    const shell = await openShell({
      routes: dashboardRoutes,
      settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'carnet@example.test' },
    });
    try {
      const browser = new WebBrowser(shell.baseUrl);
      const origin = { origin: new URL(shell.context.config.publicBaseUrl).origin };
      const sent = await browser.send(SIGN_IN, new URLSearchParams({ email: operator.email }), origin);
      assert.equal(sent.title, 'Enter the code');
      assert.doesNotMatch(sent.text, /outbox|sends no mail/);
      assert.doesNotMatch((await browser.open(SIGN_IN)).text, /credentials\.json|sends no mail/);
    } finally {
      await shell.close();
    }
  });

  it('say in words that the code is wrong, and how many tries are left', async () => {
    const { browser, page } = await requested(operator.email);
    const code = await codeFor(operator.email);
    const refused = await page.press('Sign in', { fields: { code: wrong(code) } });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /The code is wrong; tries left: 4\./);
    assert.equal(browser.cookies.has('carnet_session'), false);
    const shapeless = await refused.press('Sign in', { fields: { code: 'abcdef' } });
    assert.match(shapeless.text, /the six digits of the mail/);
    assert.equal((await shapeless.press('Sign in', { fields: { code } })).title, operator.name);
  });

  it('say that a code is over, and send another', async () => {
    const { page } = await requested(operator.email);
    await moveCode(operator.email, 'expires_at', -600);
    const old = await codeFor(operator.email);
    const refused = await page.press('Sign in', { fields: { code: old } });
    assert.match(refused.text, /There is no valid code for this address/);
    await moveCode(operator.email, 'sent_at', -31);
    const again = await refused.press('Send another code');
    assert.equal(again.status, 200);
    const entered = await again.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.equal(entered.title, operator.name);
  });

  it('say when the next code can be sent, where one is on its way, and take that one', async () => {
    const { browser, page } = await requested(operator.email);
    const early = await page.press('Send another code');
    assert.equal(early.status, 429);
    assert.match(early.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(early.text, /the next can be sent in \d+ seconds/);
    assert.equal((await mailsTo(operator.email)).length, 1);
    await early.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert(browser.cookies.has('carnet_session'));
  });

  it('refuse what is no address, and show what was typed as text', async () => {
    const { page } = await requested(hostile);
    assert.deepEqual([page.status, page.title], [400, 'Sign in']);
    assert.match(page.text, /no e-mail address/);
    assert.doesNotMatch(page.html, /<script(?! src="\/assets\/)/);
    for (const notice of ['__proto__', 'constructor'])
      assert.equal((await new WebBrowser().open(`${SIGN_IN}?notice=${notice}`)).notices.length, 1);
    const query = new URLSearchParams({ email: hostile, operator_id: hostile, next: hostile, notice: hostile });
    const opened = await new WebBrowser().open(`${SIGN_IN}?${query.toString()}`);
    assert.doesNotMatch(opened.html, /<script(?! src="\/assets\/)/);
    assert.equal(opened.formOf('Send me a code', { fields: { email: 'x' } }).values.get('operator_id'), hostile);
  });

  it('let people of several operators choose one, whose names are shown as text', async () => {
    const second = await buildOperator({ email: operator.email, name: `${hostile}${unique('x')}` });
    const { page } = await requested(operator.email);
    const code = await codeFor(operator.email);
    const choice = await page.press('Sign in', { fields: { code } });
    assert.deepEqual([choice.status, choice.title], [200, 'Choose an operator']);
    assert.equal(choice.buttons().length, 2);
    assert.doesNotMatch(choice.html, /<script(?! src="\/assets\/)/);
    const dashboard = await choice.press(second.name);
    assert.equal(dashboard.title, second.name);
  });

  it('make somebody who is invited a member once they join the operator of the address, which the page names', async () => {
    const email = `${unique('person')}@example.test`;
    assertStatus(await operator.post('/v1/members', { email, role: 'member' }), 201);
    const { page } = await requested(email, `${SIGN_IN}?operator_id=${operator.operatorId}`);
    assert(!page.html.includes(operator.name), 'whoever opens the link is shown no name before the right code');
    const choice = await page.press('Sign in', { fields: { code: await codeFor(email) } });
    assert.deepEqual([choice.status, choice.title], [200, 'Choose an operator']);
    assert.deepEqual(choice.buttons(), [`${operator.name} invites you as member: Join ${operator.operatorId}`]);
    assert.equal((await choice.press(operator.name)).title, operator.name);
    const stranger = await requested(operator.email, `${SIGN_IN}?operator_id=op_none`);
    const refused = await stranger.page.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.match(refused.text, /no member of that operator/);
  });

  it('make nobody a member of a stranger’s operator by a link, and let them go on to their own', async () => {
    const inviter = await buildOperator();
    const { email } = operator;
    const owner = await signIn(inviter.email);
    const { id } = assertStatus(await owner.post<{ id: string }>('/v1/members', { email, role: 'admin' }), 201);
    const theirs = inviter.operatorId;
    const { browser, page } = await requested(email, `${SIGN_IN}?operator_id=${theirs}&chosen=${theirs}`);
    const choice = await page.press('Sign in', { fields: { code: await codeFor(email) } });
    assert.equal(browser.cookies.has('carnet_session'), false);
    assert.deepEqual(choice.buttons(), [
      `${operator.name} owner · ${operator.operatorId}`,
      `${inviter.name} invites you as admin: Join ${theirs}`,
    ]);
    assert.equal((await choice.press(operator.name)).title, operator.name);
    const member = assertStatus(await inviter.get<{ status: string }>(`/v1/members/${id}`), 200);
    assert.equal(member.status, 'invited');
  });

  it('refuse people of a suspended operator in words', async () => {
    const { page } = await requested(operator.email);
    await suspend(operator.operatorId);
    const refused = await page.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /This operator is suspended/);
  });

  it('are done once where the form is sent twice', async () => {
    const { browser, page } = await requested(operator.email);
    const { action, values } = page.formOf('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.equal((await browser.send(action, values)).path, '/dashboard');
    const session = browser.cookies.get('carnet_session');
    assert.equal((await browser.send(action, values)).path, '/dashboard');
    assert.equal(browser.cookies.get('carnet_session'), session);
    const other = await new WebBrowser().send(action, values);
    assert.match(other.text, /There is no valid code/);
  });

  it('say that the code was used, where another operator is chosen after the first', async () => {
    const second = await buildOperator({ email: operator.email });
    const { browser, page } = await requested(operator.email);
    const choice = await page.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.equal((await choice.press(operator.name)).title, operator.name);
    const back = await choice.press(second.name);
    assert.deepEqual([back.status, back.title], [400, 'Enter the code']);
    assert.match(back.text, /There is no valid code for this address/);
    assert(back.text.includes(`You are signed in as ${operator.email} at ${operator.name}`), back.text);
    assert.equal((await choice.press(operator.name)).path, '/dashboard', 'the form sent twice leads there as before');
    await moveCode(operator.email, 'sent_at', -31);
    const again = await back.press('Send another code');
    const code = await codeFor(operator.email);
    assert.equal((await again.press('Sign in', { fields: { code } })).title, second.name);
    assert.equal((await browser.open('/dashboard')).title, second.name);
  });

  it('lead nobody on who is signed in as somebody else than the form names', async () => {
    const browser = browserOf(await signIn(operator.email));
    const { email } = await buildOperator();
    const refused = await browser.send(`${SIGN_IN}/code`, new URLSearchParams({ email, code: '000000' }));
    assert.deepEqual([refused.status, refused.title], [400, 'Enter the code']);
    assert.match(refused.text, /There is no valid code for this address/);
  });

  it('end the session that the browser had before', async () => {
    const person = await signIn(operator.email);
    const browser = browserOf(person);
    const code = await mailedCode(operator.email);
    const entered = await browser.send(`${SIGN_IN}/code`, new URLSearchParams({ email: operator.email, code }));
    assert.equal(entered.title, operator.name);
    assert.equal((await browserOf(person).open('/dashboard')).title, 'Sign in');
  });

  it('open by the link of the mail, where the address is entered too; opening them signs nobody in', async () => {
    const code = await mailedCode(operator.email);
    const link = /^http\S+$/m.exec((await mailsTo(operator.email))[0]?.text ?? '')?.[0] ?? '';
    const browser = new WebBrowser();
    for (const query of ['', `?code=${code}&email=${operator.email}`]) {
      const opened = await browser.open(`${new URL(link).pathname}${query}`);
      assert.deepEqual([opened.status, browser.cookies.size], [200, 0]);
    }
    const page = await browser.open(new URL(link).pathname);
    assert.equal((await page.press('Sign in', { fields: { email: operator.email, code } })).title, operator.name);
  });

  it('lead to the page that the person wanted, of the dashboard alone', async () => {
    const path = '/dashboard/approvals/apr_01K0000000000000000000000A';
    const asked = await new WebBrowser().open(path);
    assert.equal(asked.path, `${SIGN_IN}?${new URLSearchParams({ next: path }).toString()}`);
    for (const [next, leads] of [
      [path, path],
      ['https://evil.example/dashboard', '/dashboard'],
      ['//evil.example', '/dashboard'],
      ['/dashboard/approvals/../../docs', '/dashboard'],
    ] as const) {
      const { email } = await buildOperator();
      const code = await mailedCode(email);
      const entered = await fetch(`${service().baseUrl}${SIGN_IN}/code`, {
        method: 'POST',
        headers: { origin: baseOrigin() },
        body: new URLSearchParams({ email, code, next }),
        redirect: 'manual',
      });
      assert.deepEqual([entered.status, entered.headers.get('location')], [303, leads]);
    }
    const { page } = await requested(operator.email, asked.path);
    assert.equal(page.formOf('Sign in', { fields: { code: '000000' } }).values.get('next'), path);
  });

  for (const [from, headers] of [
    ['another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another site, by its fetch metadata', { origin: '', 'sec-fetch-site': 'cross-site' }],
  ] as const) {
    it(`refuse a form of ${from}, so that nobody is signed in as somebody else`, async () => {
      const browser = new WebBrowser();
      const code = await mailedCode(operator.email);
      const forms: [string, Record<string, string>][] = [
        [SIGN_IN, { email: operator.email }],
        [`${SIGN_IN}/code`, { email: operator.email, code }],
        ['/dashboard/sign-out', {}],
      ];
      for (const [path, values] of forms) {
        const refused = await browser.send(path, new URLSearchParams(values), headers);
        assert.equal(refused.status, 403, path);
      }
      assert.equal(browser.cookies.size, 0);
    });
  }

  it('say who is signed in already, and sign them out', async () => {
    const browser = browserOf(await signIn(operator.email));
    assert.match((await browser.open(SIGN_IN)).text, new RegExp(`You are signed in as ${operator.email}`));
    const page = await browser.open('/dashboard');
    const { action, values } = page.formOf('Sign out');
    const out = await page.press('Sign out');
    assert.deepEqual([out.title, out.notices[0]], ['Sign in', 'You are signed out.']);
    assert.equal(browser.cookies.has('carnet_session'), false);
    const again = await browser.send(action, values);
    assert.equal(again.title, 'Sign in');
    assert.equal((await browser.open('/dashboard')).title, 'Sign in');
  });

  it('sign people of a suspended operator out', async () => {
    const person = await signIn(operator.email);
    const browser = browserOf(person);
    await suspend(operator.operatorId);
    const refused = await browser.open('/dashboard');
    assert.equal(refused.status, 403);
    const page = await refused.follow('sign in');
    const out = await page.press('Sign out');
    assert.deepEqual([out.title, out.notices[0]], ['Sign in', 'You are signed out.']);
    assert.equal(browser.cookies.has('carnet_session'), false);
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { status: 'active' }), 200);
    assert.equal((await browserOf(person).open('/dashboard')).title, 'Sign in');
  });

  it('count as the calls of signing in', async () => {
    const shell = await openShell({ routes: dashboardRoutes, settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '600' } });
    try {
      const browser = new WebBrowser(shell.baseUrl);
      const origin = { origin: new URL(shell.context.config.publicBaseUrl).origin };
      const values = new URLSearchParams({ email: operator.email });
      assert.equal((await browser.send(SIGN_IN, values, origin)).status, 200);
      const other = `${unique('nobody')}@example.test`;
      const over = await shell.anonymous.post('/v1/dashboard/sessions', { email: other });
      assert.match(over.headers.get('ratelimit-policy') ?? '', /^"sendSignInCode";q=1;/);
      assert.equal(over.status, 429);
    } finally {
      await shell.close();
    }
  });

  it('do not count what pages of other sites make a browser send', async () => {
    const shell = await openShell({ routes: dashboardRoutes, settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '600' } });
    try {
      const browser = new WebBrowser(shell.baseUrl);
      const { origin } = new URL(shell.context.config.publicBaseUrl);
      const values = new URLSearchParams({ email: operator.email, code: '000000' });
      for (const path of [SIGN_IN, `${SIGN_IN}/code`]) {
        assert.equal((await browser.send(path, values, { origin: 'https://evil.example' })).status, 403);
        assert.notEqual((await browser.send(path, values, { origin })).status, 429, path);
      }
    } finally {
      await shell.close();
    }
  });
});
