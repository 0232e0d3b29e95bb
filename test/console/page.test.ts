import assert from 'node:assert/strict';
import { isRefusal } from '../../src/console/visits.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { buildAgent, buildInvocation, buildOperator, buildSkill, suspend } from '../support/factories.ts';
import { buildPerson, codeFor } from '../support/people.ts';
import { assertStatus } from '../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../support/web-browser.ts';

/** An invocation that its provider may claim, and the page of it. */
async function claimable(): Promise<{ id: string; browser: WebBrowser; page: WebPage; status(): Promise<string> }> {
  const operator = await buildOperator();
  const { id: skillId } = await buildSkill(operator);
  const { id } = await buildInvocation(operator, skillId);
  const browser = browserOf(await buildPerson(operator));
  const page = await browser.open(`/dashboard/invocations/${id}`);
  const status = async () =>
    assertStatus(await operator.get<{ status: string }>(`/v1/skills/invocations/${id}`), 200).status;
  return { id, browser, page, status };
}

describe('A form of the console', () => {
  it('is taken from pages of this service alone', async () => {
    const { browser, page, status } = await claimable();
    const { values } = page.formOf('Claim it');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '', 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await browser.send(page.path, values, headers);
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    assert.equal(await status(), 'pending');
  });

  it('does nothing once the session has ended, and leads to signing in and back', async () => {
    const { browser, page, status, id } = await claimable();
    const { values } = page.formOf('Claim it');
    await page.press('Sign out');
    const answer = await browser.send(page.path, values);
    assert.match(answer.notices.join(), /Your session is over, and nothing was changed/);
    assert.equal(
      answer.formOf('Send me a code', { fields: { email: 'x' } }).values.get('next'),
      `/dashboard/invocations/${id}`,
    );
    assert.equal(await status(), 'pending');
  });

  it('is shown again after signing in as it was typed, without secrets, and does nothing before it is sent again', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const browser = browserOf(await buildPerson(operator));
    await buildAgent(operator);
    const page = await browser.open('/dashboard/inbound/new?provider=generic');
    const fields = { name: '<b>kept', forward_url: 'https://kept.example/x', secret: 'hush' };
    const { action, values } = page.formOf('Make the endpoint', { fields });
    browser.cookies.delete('carnet_session');
    const again = await browser.send(action, values);
    assert.doesNotMatch(again.html, /kept\.example|hush/, 'what was typed is sealed');
    const code = await again.press('Send me a code', { fields: { email: operator.email } });
    const signedIn = await code.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    assert.match(signedIn.text, /What you had typed is kept/);
    const shown = await signedIn.press('Show the form');
    assert.equal(shown.status, 200);
    assert.match(shown.notices.join(), /nothing was done/);
    assert.match(shown.html, /value="https:\/\/kept\.example\/x"/);
    assert.doesNotMatch(shown.html, /hush/);
    assert.match(shown.path, /provider=generic/, 'its address is kept too');
    assert(shown.html.includes('&lt;b&gt;kept') && !shown.html.includes('<b>'));
    const forged = await browser.send(
      '/dashboard/inbound/new',
      new URLSearchParams({ act: 'create', typed: 'forged' }),
    );
    assert.deepEqual([forged.status, forged.html.includes('kept.example')], [200, false]);
  });

  it('that was filled in otherwise after it was sent is refused under its key, and shown with another', async () => {
    const browser = browserOf(await buildPerson(await buildOperator()));
    const page = await browser.open('/dashboard/agents');
    const { action, values } = page.formOf('Register it', { fields: { name: 'first' } });
    assert.equal((await browser.send(action, values)).title, '“first”');
    values.set('name', 'second');
    const reused = await browser.send(action, values);
    assert.equal(reused.status, 409);
    assert.equal((await reused.press('Register it')).title, '“second”');
  });

  it('leads on from where it says what came of it, without a script', async () => {
    const { page } = await claimable();
    assert.doesNotMatch(page.html, /autofocus/);
    const claimed = await page.press('Claim it');
    assert.match(claimed.html, /<p class="notice good" role="status" tabindex="-1" autofocus>It is claimed/);
    const refused = await (
      await claimed.follow('Write JSON instead')
    ).press('Complete it', { fields: { output: '[' } });
    assert.match(refused.html, /<p class="notice error" role="alert" tabindex="-1" autofocus>/);
    const keys = await browserOf(await buildPerson(await buildOperator())).open('/dashboard/keys');
    const made = await keys.press('Make the key', { fields: { name: 'shown', role: 'member' } });
    assert.match(made.html, /<main id="content" tabindex="-1" autofocus>/);
    for (const { html } of [claimed, refused, made]) assert.equal(html.match(/autofocus/g)?.length, 1);
  });

  it('names no act that the page has not, and the address puts no words on it', async () => {
    const { browser, page, status } = await claimable();
    const { values } = page.formOf('Claim it');
    for (const act of ['', '__proto__', 'constructor', 'complete it']) {
      values.set('act', act);
      assert.equal((await browser.send(page.path, values)).status, 200);
    }
    assert.equal(await status(), 'pending');
    for (const done of ['Send+your+key+to+evil', '__proto__', 'toString']) {
      const opened = await browser.open(`${page.path}?done=${done}`);
      assert.deepEqual(opened.notices, []);
    }
  });

  it('keeps what was typed where it names what is not there', async () => {
    const browser = browserOf(await buildPerson(await buildOperator()));
    const fields = { declared_intent: 'Tidy the attic', agent_id: 'ag_01K9ZC4T0M3Q8V6W2X5Y7ZABCD' };
    const refused = await (await browser.open('/dashboard/missions')).press('Declare it', { fields });
    assert.equal(refused.status, 404);
    assert.match(refused.notices[0] ?? '', /agent/);
    assert.deepEqual(refused.formOf('Declare it').values.get('declared_intent'), 'Tidy the attic');
  });

  it('is shown again where a part of the service is away, and not where the fault is ours', () => {
    assert.equal(isRefusal(new CarnetError('TEMPORARILY_UNAVAILABLE', 'Later.')), true);
    assert.equal(isRefusal(new CarnetError('INTERNAL_ERROR', 'Ours.')), false);
  });

  it('says why it is refused where the operator is suspended', async () => {
    const operator = await buildOperator();
    const person = await buildPerson(operator);
    await suspend(operator.operatorId);
    const answer = await browserOf(person).open('/dashboard/invocations');
    assert.equal(answer.status, 403);
    assert.match(answer.text, /suspended/);
  });
});
