import assert from 'node:assert/strict';
import { z } from 'zod';
import { dashboardRoutes } from '../../../src/dashboard/routes.ts';
import { sql } from '../../../src/database/pool.ts';
import { openShell } from '../../http/support/shell.ts';
import { buildOperator, unique } from '../../support/factories.ts';
import { codeFor, mailsTo } from '../../support/people.ts';
import { assertStatus, database, platform } from '../../support/service.ts';
import { WebBrowser, type WebPage } from '../../support/web-browser.ts';

const REGISTER = '/dashboard/register';

const namesOf = async (name: string): Promise<readonly { email: string; tier: string }[]> =>
  (await database()).any(sql.type(z.object({ email: z.string(), tier: z.string() }))`
    select email, tier from operators where name = ${name}`);

async function asked(fields: { name: string; email: string }): Promise<{ browser: WebBrowser; page: WebPage }> {
  const browser = new WebBrowser();
  const page = await (await browser.open('/dashboard/sign-in')).follow('Register an operator');
  return { browser, page: await page.press('Send me a code', { fields }) };
}

const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('Registering an operator in the browser', () => {
  it('makes it once the address is proven, and signs its owner in', async () => {
    const [name, email] = [unique('operator'), `${unique('ada')}@example.test`];
    const { browser, page } = await asked({ name, email });
    assert.deepEqual([page.status, page.title], [200, 'Enter the code']);
    assert.deepEqual(await namesOf(name), []);
    const code = await codeFor(email);
    assert(!page.html.includes(code));
    const form = page.formOf('Register', { fields: { code } });
    const home = await page.press('Register', { fields: { code } });
    assert.deepEqual([home.path, home.status], ['/dashboard', 200]);
    assert.match(home.account, new RegExp(`${name} ${email}`));
    assert.deepEqual(await namesOf(name), [{ email, tier: 'free' }]);
    const session = browser.cookies.get('carnet_session');
    assert.equal((await browser.send(form.action, form.values)).path, '/dashboard', 'the form sent twice');
    assert.equal(browser.cookies.get('carnet_session'), session);
    assert.equal((await namesOf(name)).length, 1);
    const trail = await platform().get<{ audit_events: { action: string; detail: { name?: string } }[] }>(
      '/v1/audit-events?limit=100',
    );
    const events = assertStatus(trail, 200).audit_events;
    assert(events.some(({ action, detail }) => action === 'operator.registered' && detail.name === name));
  });

  it('makes nothing for an address that is not proven', async () => {
    const [name, email] = [unique('operator'), `${unique('ada')}@example.test`];
    const { browser, page } = await asked({ name, email });
    const code = await codeFor(email);
    const refused = await page.press('Register', { fields: { code: wrong(code) } });
    assert.match(refused.text, /The code is wrong; tries left: 4/);
    const victim = `${unique('victim')}@example.test`;
    const { action, values } = page.formOf('Register', { fields: { code } });
    values.set('email', victim);
    assert.match((await browser.send(action, values)).text, /There is no valid code/);
    assert.deepEqual([await namesOf(name), browser.cookies.has('carnet_session')], [[], false]);
    assert.equal((await refused.press('Register', { fields: { code } })).path, '/dashboard');
  });

  it('makes no more of an address that owns five of the tier free, and says so to who has proven it', async () => {
    const { email } = await buildOperator({ tier: 'free' });
    for (let made = 1; made < 5; made += 1) await buildOperator({ email, tier: 'free' });
    await buildOperator({ email, tier: 'business' });
    const name = unique('operator');
    const { browser, page } = await asked({ name, email });
    assert.equal(page.status, 200);
    const refused = await page.press('Register', { fields: { code: await codeFor(email) } });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /owns 5 operators of the tier free/);
    assert.deepEqual([await namesOf(name), browser.cookies.has('carnet_session')], [[], false]);
  });

  it('answers the same for an address that is a member’s already', async () => {
    const known = await buildOperator();
    const [first, second] = [unique('operator'), unique('operator')];
    const email = `${unique('nobody')}@example.test`;
    const pages = [await asked({ name: first, email: known.email }), await asked({ name: second, email })];
    const [theirs, others] = pages.map(({ page }, at) =>
      page.html
        .replaceAll(at === 0 ? known.email : email, 'address')
        .replaceAll(encodeURIComponent(at === 0 ? known.email : email), 'address')
        .replaceAll(at === 0 ? first : second, 'name'),
    );
    assert.equal(theirs, others);
    const [[mail], [other]] = [await mailsTo(known.email), await mailsTo(email)];
    const without = (text = ''): string => text.replace(/^\d{6}$/m, '');
    assert.deepEqual([mail?.subject, without(mail?.text)], [other?.subject, without(other?.text)]);
    const home = await pages[0]?.page.press('Register', { fields: { code: await codeFor(known.email) } });
    assert.match(home?.account ?? '', new RegExp(first));
    assert.deepEqual((await namesOf(known.name)).length, 1, 'the operator of before stays as it was');
  });

  it('keeps what was typed, as text, where it is refused', async () => {
    const hostile = `"><script>alert(1)</script>`;
    for (const [name, email, says] of [
      [hostile, 'no address', /no e-mail address/],
      ['   ', 'ada@example.test', /Enter the name/],
    ] as const) {
      const { page } = await asked({ name, email });
      assert.equal(page.status, 400);
      assert.match(page.text, says);
      assert.doesNotMatch(page.html, /<script>/);
      assert.equal(page.formOf('Send me a code', { fields: { name: 'x' } }).values.get('email'), email);
    }
  });

  it('is refused to pages of other sites', async () => {
    const evil = { origin: 'https://evil.example' };
    const values = new URLSearchParams({ name: 'x', email: 'x@example.test', code: '123456' });
    for (const path of [REGISTER, `${REGISTER}/code`])
      assert.equal((await new WebBrowser().send(path, values, evil)).status, 403);
  });

  it('counts as the calls of signing in', async () => {
    const shell = await openShell({ routes: dashboardRoutes, settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '600' } });
    try {
      const browser = new WebBrowser(shell.baseUrl);
      const { origin } = new URL(shell.context.config.publicBaseUrl);
      const fields = { name: 'x', email: `${unique('x')}@example.test` };
      assert.equal((await browser.send(REGISTER, new URLSearchParams(fields), { origin })).status, 200);
      const over = await shell.anonymous.post('/v1/dashboard/sessions', { email: fields.email });
      assert.deepEqual([over.status, over.body.code], [429, 'RATE_LIMITED']);
    } finally {
      await shell.close();
    }
  });

  it('is no page where OPEN_REGISTRATION is off, as it is without embedded parts', async () => {
    for (const options of [
      { settings: { OPEN_REGISTRATION: 'false' } },
      {
        settings: { LOCAL_PROVIDERS: 'true', PUBLIC_BASE_URL: 'http://127.0.0.1:3000' },
        provided: { localProviders: false },
      },
    ]) {
      const shell = await openShell({ routes: dashboardRoutes, ...options });
      try {
        const browser = new WebBrowser(shell.baseUrl);
        const { origin } = new URL(shell.context.config.publicBaseUrl);
        const email = `${unique('x')}@example.test`;
        const values = new URLSearchParams({ name: unique('x'), email, code: '123456' });
        for (const path of [REGISTER, `${REGISTER}/code`]) {
          assert.equal((await browser.open(path)).status, 404);
          assert.equal((await browser.send(path, values, { origin })).status, 404);
        }
        assert.deepEqual(await mailsTo(email), []);
        assert.doesNotMatch((await browser.open('/dashboard/sign-in')).text, /Register/);
      } finally {
        await shell.close();
      }
    }
  });
});
