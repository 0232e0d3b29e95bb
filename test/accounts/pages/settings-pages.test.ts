import assert from 'node:assert/strict';
import type { Operator } from '../../../src/accounts/operators/schema.ts';
import { buildAgent, buildMemberKey, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertProblem, assertStatus, requester } from '../../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../../support/web-browser.ts';

const MARKUP = '<img src=x onerror=alert(1)>';

/** The secret that a page shows once. */
const secretOn = (page: WebPage): string => {
  const secret = /svc_live_[\w-]+/.exec(page.text)?.[0];
  assert(secret !== undefined, page.text);
  return secret;
};

describe('The pages of settings', () => {
  let operator: TestOperator;
  let browser: WebBrowser;
  let admin: WebBrowser;
  let member: WebBrowser;
  let stranger: WebBrowser;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    browser = browserOf(await signIn(operator.email));
    admin = browserOf(await buildPerson(operator, 'admin'));
    member = browserOf(await buildPerson(operator, 'member'));
    stranger = browserOf(await signIn((await buildOperator()).email));
  });

  it('make a key of each kind, show it once, and delete it', async () => {
    const agent = await buildAgent(operator);
    const list = await browser.open('/dashboard/keys');
    const made = await list.press('Make the key', { fields: { name: MARKUP, role: 'admin' } });
    assert(made.text.includes(MARKUP) && !made.html.includes(MARKUP));
    const key = requester(secretOn(made));
    assertStatus(await key.get('/v1/operators/me'), 200);
    const ofAgent = await browser.open(`/dashboard/keys?kind=agent&agent_id=${agent.id}`);
    const refused = await ofAgent.press('Make the key', { fields: { name: 'agents', expires_at: 'soon' } });
    assert.equal(refused.status, 400);
    assert(refused.html.includes('value="soon"') && refused.html.includes(`value="${agent.id}"`));
    const agents = await ofAgent.press('Make the key', { fields: { name: 'agents' } });
    assertStatus(await requester(secretOn(agents)).get('/v1/skills'), 200);

    const page = await (await browser.open('/dashboard/keys')).follow(MARKUP);
    assert.doesNotMatch(page.text, /svc_live_/);
    assert.equal((await stranger.open(page.path)).status, 404);
    const deleted = await page.press('Delete the key', { fields: { sure: 'true' } });
    assert.match(deleted.notices[0] ?? '', /^The key is deleted/);
    assertProblem(await key.get('/v1/operators/me'), 'UNAUTHENTICATED');
  });

  it('show the key of a form that was sent twice again, and make one', async () => {
    const list = await browser.open('/dashboard/keys');
    const { action, values } = list.formOf('Make the key', { fields: { name: unique('twice'), role: 'member' } });
    const [one, two] = [await browser.send(action, values), await browser.send(action, values)];
    assert.equal(secretOn(one), secretOn(two));
  });

  it('let a partner in, with a key that is shown once', async () => {
    const list = await browser.open('/dashboard/partners');
    const name = unique('partner');
    const made = await list.press('Make the grant and its key', { fields: { name, providers: 'mail_provider' } });
    assert(secretOn(made).length > 20);
    const page = await (await browser.open('/dashboard/partners')).follow(name);
    assert.equal((await stranger.open(page.path)).status, 404);
    const deleted = await page.press('Delete the grant', { fields: { sure: 'true' } });
    assert.match(deleted.notices[0] ?? '', /^The grant is deleted/);
  });

  it('invite a person while there is a seat, and withdraw that', async () => {
    const list = await browser.open('/dashboard/members');
    assert.match(list.text, /Seats 3 of \d+/);
    assert.match(list.html, /<option value="member" selected>/, 'nobody makes an owner by leaving a field alone');
    const email = `${unique('new')}@example.test`;
    const invited = await list.press('Invite them', { fields: { email, role: 'member' } });
    assert.match(invited.notices[0] ?? '', /^They are invited/);
    assert.match(invited.text, /Seats 4 of \d+/);
    const again = await invited.press('Invite them', { fields: { email, role: 'admin' } });
    assert.equal(again.status, 409);
    assert(again.html.includes(`value="${email}"`));
    const page = await invited.follow(email);
    assert.equal((await stranger.open(page.path)).status, 404);
    const withdrawn = await page.press('Withdraw the invitation', { fields: { sure: 'true' } });
    assert.match(withdrawn.notices[0] ?? '', /no member any more/);
  });

  it('change name, address and low balance; the payout account for owners alone', async () => {
    const page = await browser.open('/dashboard/operator');
    const name = `${MARKUP} ${unique('name')}`;
    const email = `${unique('bills')}@example.test`;
    const named = await page.press('Save', { fields: { name, email } });
    assert.equal(named.title, name);
    assert(!named.html.includes(MARKUP));
    const sendTo = async (by: WebBrowser, act: string, fields: Record<string, string>): Promise<WebPage> =>
      by.send('/dashboard/operator', new URLSearchParams({ act, ...fields }));
    assert.equal((await sendTo(browser, 'balance', { low_balance_cents: '5' })).status, 200);
    assert.equal((await sendTo(browser, 'balance', { low_balance_cents: 'much' })).status, 400);
    assert.equal((await sendTo(browser, 'payout', { payout_account: 'acct_1' })).status, 200);
    const after = assertStatus(await operator.get<Operator>('/v1/operators/me'), 200);
    assert.deepEqual(
      [after.name, after.email, after.low_balance_cents, after.payout_account],
      [name, email, 500, 'acct_1'],
    );
    assert.match((await admin.open('/dashboard/operator')).text, /An owner changes the payout account/);
    assert.equal((await sendTo(admin, 'payout', { payout_account: 'acct_2' })).status, 403);
    assert.equal((await sendTo(admin, 'balance', { low_balance_cents: '' })).status, 200);
    const allowed = async (): Promise<boolean> =>
      assertStatus(await operator.get<Operator>('/v1/operators/me'), 200).passports_may_invoke;
    assert.equal((await sendTo(admin, 'passports', { passports_may_invoke: 'true' })).status, 200);
    assert.equal(await allowed(), true, 'a person decides it');
    assert.equal((await sendTo(admin, 'passports', {})).status, 200);
    assert.equal(await allowed(), false);
    assert.equal((await sendTo(member, 'passports', { passports_may_invoke: 'true' })).status, 403);
    const seen = await member.open('/dashboard/operator');
    assert.match(seen.text, /Owners and administrators change the operator/);
    assert(!seen.buttons().includes('Save'));
    assert.equal((await sendTo(member, 'address', { name: 'mine' })).status, 403);
  });

  it('erase contents for an owner who is sure', async () => {
    const page = await browser.open('/dashboard/erasure');
    assert.match(page.text, /None was ever asked for/);
    assert.throws(() => page.formOf('Erase the contents'), /sure is to be filled in/);
    const erased = await page.press('Erase the contents', { fields: { sure: 'true' } });
    assert.match(erased.text, /Asked for/);
    const theirs = await admin.open('/dashboard/erasure');
    assert.match(theirs.text, /An owner erases contents/);
    assert.equal(
      (await admin.send('/dashboard/erasure', new URLSearchParams({ act: 'erase', sure: 'true' }))).status,
      403,
    );
  });

  it('show the audit trail, filtered, as a table and as CSV', async () => {
    const agent = await buildAgent(operator, { name: MARKUP });
    const page = await browser.open(`/dashboard/audit?target=${agent.id}`);
    assert.match(page.text, /agent\.created/);
    assert(!page.html.includes(MARKUP));
    assert(page.links().some(({ href }) => href === `/dashboard/agents/${agent.id}`));
    assert.match((await browser.open(`/dashboard/audit?target=${agent.id}&action=member.`)).text, /Nothing fits/);
    const csv = await browser.open(`/dashboard/audit?target=${agent.id}&csv=audit`);
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(csv.html, new RegExp(`"agent.created","${agent.id}"`));
    assert.match((await stranger.open(`/dashboard/audit?target=${agent.id}`)).text, /Nothing fits/);
  });

  it('are refused to members where the calls are, and to a member key’s holder by the same rule', async () => {
    assertProblem(await (await buildMemberKey(operator)).get('/v1/api-keys'), 'ADMIN_REQUIRED');
    for (const path of ['keys', 'members', 'partners', 'audit', 'erasure'])
      assert.equal((await member.open(`/dashboard/${path}`)).status, 403, path);
  });
});
