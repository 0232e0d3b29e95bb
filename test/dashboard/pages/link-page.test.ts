import assert from 'node:assert/strict';
import { z } from 'zod';
import { addressMac } from '../../../src/dashboard/address-mac.ts';
import { readTicket, ticketFor } from '../../../src/dashboard/ticket.ts';
import { createEncryption } from '../../../src/context/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, codeFor, mailsTo, moveCode } from '../../support/people.ts';
import { database } from '../../support/service.ts';
import { browserOf, WebBrowser, type WebPage } from '../../support/web-browser.ts';

const SIGN_IN = '/dashboard/sign-in';

async function requested(email: string): Promise<{ browser: WebBrowser; page: WebPage; link: string }> {
  const browser = new WebBrowser();
  const page = await (await browser.open(SIGN_IN)).press('Send me a code', { fields: { email } });
  return { browser, page, link: await linkTo(email) };
}

async function linkTo(email: string): Promise<string> {
  const [mail] = await mailsTo(email);
  const link = /^http\S+\?ticket=\S+$/m.exec(mail?.text ?? '')?.[0];
  assert(link !== undefined, mail?.text);
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

describe('The link of the mail', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator();
  });

  it('has neither code nor address, opens a button, and signs in by it once', async () => {
    const { browser, link } = await requested(operator.email);
    const decoded = Buffer.from(link.replaceAll('.', ''), 'base64url').toString('latin1');
    for (const secret of [operator.email, await codeFor(operator.email)])
      assert(!link.includes(secret) && !decoded.includes(secret));
    for (const opener of [new WebBrowser(), browser]) {
      const opened = await opener.open(link);
      assert.deepEqual([opened.status, opened.title, opener.cookies.has('carnet_session')], [200, 'Sign in', false]);
    }
    const page = await browser.open(link);
    const home = await page.press('Sign in');
    assert.deepEqual([home.path, home.title], ['/dashboard', operator.name]);
    browser.cookies.delete('carnet_session');
    const again = await page.press('Sign in');
    assert.match(again.text, /There is no valid code for this address/);
    assert.equal(browser.cookies.has('carnet_session'), false);
  });

  it('counts in the browser alone that requested the mail, and uses up no try elsewhere', async () => {
    const { browser, link } = await requested(operator.email);
    const other = new WebBrowser();
    await (await other.open(SIGN_IN)).press('Send me a code', { fields: { email: (await buildOperator()).email } });
    for (const stranger of [new WebBrowser(), other]) {
      for (let times = 0; times < 6; times += 1) {
        const refused = await (await stranger.open(link)).press('Sign in');
        assert.deepEqual([refused.status, stranger.cookies.has('carnet_session')], [400, false]);
        assert.match(refused.text, /in the browser where the mail was requested/);
      }
    }
    assert.equal((await (await browser.open(link)).press('Sign in')).title, operator.name);
  });

  it('that was pressed leads the same browser to the dashboard when it is opened once more', async () => {
    const { browser, link } = await requested(operator.email);
    await (await browser.open(link)).press('Sign in');
    const second = await browser.open(link);
    assert.deepEqual([second.path, second.title], ['/dashboard', operator.name]);
  });

  it('is over with its code, and where a newer mail has taken its place', async () => {
    const { browser, page, link } = await requested(operator.email);
    await moveCode(operator.email, 'sent_at', -31);
    await page.press('Send another code');
    const older = await (await browser.open(link)).press('Sign in');
    assert.match(older.text, /A newer mail has taken the place of this one/);
    const newer = await linkTo(operator.email);
    await moveCode(operator.email, 'expires_at', -600);
    const over = await (await browser.open(newer)).press('Sign in');
    assert.match(over.text, /There is no valid code for this address/);
    assert.equal(browser.cookies.has('carnet_session'), false);
  });

  it('is made by nobody else', async () => {
    const { browser } = await requested(operator.email);
    const pool = await database();
    const codes = await pool.anyFirst(sql.type(z.object({ code: z.string() }))`
      select code from sign_in_codes where code is not null order by id desc limit 1`);
    const foreign = createEncryption([Buffer.alloc(32, 7)]);
    const forged = ticketFor(foreign, { email: operator.email, code: codes[0] ?? '' });
    assert.deepEqual(readTicket(foreign, forged)?.email, operator.email);
    assert.notEqual(addressMac(foreign, operator.email), operator.email);
    for (const ticket of [forged, '', 'x', '....', `${forged}x`, '__proto__', '"><script>alert(1)</script>']) {
      const opened = await browser.open(`${SIGN_IN}/link?${new URLSearchParams({ ticket }).toString()}`);
      const sent = await browser.send(`${SIGN_IN}/link`, new URLSearchParams({ ticket }));
      assert.deepEqual([opened.status, sent.status, browser.cookies.has('carnet_session')], [404, 404, false]);
      assert.doesNotMatch(opened.html + sent.html, /<script>/);
    }
  });

  it('shows a form again that was sent when its session had ended, once', async () => {
    const browser = browserOf(await buildPerson(operator, 'owner'));
    await buildOperator({ email: operator.email });
    const page = await browser.open('/dashboard/missions');
    browser.cookies.delete('carnet_session');
    const ended = await page.press('Declare it', { fields: { declared_intent: '<b>Tidy' } });
    await ended.press('Send me a code', { fields: { email: operator.email } });
    assert.doesNotMatch(browser.cookies.get('carnet_typed') ?? 'none', /Tidy|none/);
    const choice = await (await browser.open(await linkTo(operator.email))).press('Sign in');
    const signedIn = await choice.press(operator.name);
    assert.equal(browser.cookies.has('carnet_typed'), false, 'it is shown this once');
    const shown = await signedIn.press('Show the form');
    assert.match(shown.notices[0] ?? '', /nothing was done/);
    assert.equal(shown.formOf('Declare it').values.get('declared_intent'), '<b>Tidy');
  });

  it('shows no form of an earlier time, and none that nobody sealed', async () => {
    const { browser, link } = await requested(operator.email);
    browser.cookies.set('carnet_typed', 'forged');
    assert.equal((await (await browser.open(link)).press('Sign in')).title, operator.name);
    assert.equal(browser.cookies.has('carnet_typed'), false);
    browser.cookies.set('carnet_typed', 'forged');
    browser.cookies.delete('carnet_session');
    await moveCode(operator.email, 'sent_at', -31);
    await (await browser.open(SIGN_IN)).press('Send me a code', { fields: { email: operator.email } });
    assert.equal(browser.cookies.has('carnet_typed'), false);
  });

  it('lets people of several operators choose one', async () => {
    const second = await buildOperator({ email: operator.email });
    const { browser, link } = await requested(operator.email);
    const choice = await (await browser.open(link)).press('Sign in');
    assert.equal(choice.title, 'Choose an operator');
    assert.equal((await choice.press(second.name)).title, second.name);
  });

  it('is taken from pages of this service alone', async () => {
    const { browser, link } = await requested(operator.email);
    const { action, values } = (await browser.open(link)).formOf('Sign in');
    assert.equal((await browser.send(action, values, { origin: 'https://evil.example' })).status, 403);
  });
});
