import assert from 'node:assert/strict';
import { made, publicJwk } from '../../authority/support.ts';
import { intent, submit } from '../../claims/support.ts';
import type { Passport } from '../../../src/passports/schema.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertStatus, platform, service } from '../../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../../support/web-browser.ts';

const hostile = `"><script>alert(1)</script>`;
const PATH = '/dashboard/passports';

let operator: TestOperator;
let browser: WebBrowser;
let agentId: string;

interface Issued {
  jti: string;
  token: string;
}

const issued = async (body: object = {}): Promise<Issued> =>
  assertStatus(await operator.post<Issued>('/v1/passports/issue', { agent_id: agentId, ...body }), 201);

const delegated = async (parent: Issued, child: string): Promise<Issued> =>
  assertStatus(
    await operator.post<Issued>('/v1/passports/delegate', {
      parent_passport_token: parent.token,
      child_agent_id: child,
      scopes: [],
    }),
    201,
  );

const statusOf = async ({ jti }: Issued): Promise<string> =>
  assertStatus(await operator.get<Passport>(`/v1/passports/${jti}`), 200).status;

const tokenOf = (page: WebPage): string => /<code data-copy>([^<]+)<\/code>/.exec(page.html)?.[1] ?? '';

const openOperator = async (): Promise<void> => {
  operator = await buildOperator({ tier: 'business' });
  browser = browserOf(await signIn(operator.email));
  agentId = (await buildAgent(operator, { name: `agent ${hostile}` })).id;
};

describe('Pages of passports', () => {
  before(openOperator);

  it('say how the first comes about, and issue it: the token is shown once', async () => {
    const empty = await browser.open(PATH);
    assert.match(empty.text, /No agent has a passport now\. Issue one/);
    const form = await empty.follow('Issue one');
    assert(form.html.includes(`<option value="${agentId}">`));
    assert.doesNotMatch(form.html, /name="intent.summary"[^>]* required/, 'nobody needs an intent');
    const isOpen = (page: WebPage): boolean[] =>
      ['Narrow it', 'Intent'].map((title) => page.html.includes(`<details class="card" open><summary>${title}`));
    assert.deepEqual(isOpen(form), [false, false]);
    const refused = await form.press('Issue it', { fields: { ttl_seconds: '5', 'intent.summary': 'Sort issues' } });
    assert.equal(refused.status, 400);
    assert.deepEqual(isOpen(refused), [false, true]);
    assert(refused.html.includes('value="5"') && refused.text.includes('Sort issues'), 'what was typed stays');
    const fields = {
      agent_id: agentId,
      ttl_seconds: '600',
      'intent.summary': `Sort ${hostile}`,
      'intent.services': 'x',
      'budget.amount_cents': '12.50',
      audience: service().baseUrl,
    };
    const page = await refused.press('Issue it', { fields });
    assert.match(page.text, /is shown this once/);
    assert.match(tokenOf(page), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    const link = page.links().find(({ href }) => href.startsWith(`${PATH}/psp_`));
    const shown = await browser.open(link?.href ?? '');
    assert.equal(shown.title, 'Passport');
    assert(shown.text.includes('$12.50, of which it can spend $12.50 now'));
    assert(shown.text.includes(service().baseUrl));
    assert(shown.text.includes(`Sort ${hostile}`));
    assert.doesNotMatch(shown.html, /<script>/);
    assert(!shown.html.includes(tokenOf(page)));
    assertStatus({ ...(await operator.get(`/v1/passports/${link?.text}`)) }, 200);
  });

  it('issue one without an intent', async () => {
    const page = await (await browser.open(`${PATH}/issue?agent_id=${agentId}`)).press('Issue it');
    assert.match(page.text, /is shown this once/);
  });

  it('offer what there is to choose from, and take what was chosen', async () => {
    const own = await buildOperator({ tier: 'business' });
    const reader = browserOf(await signIn(own.email));
    const agent = await buildAgent(own, { public_jwk: publicJwk });
    const terms = { receiver_id: 'bank.example', receiver_profile_version_id: '1', expires_at: '2099-01-01T00:00:00Z' };
    const { id: bindingId } = await made(own.post('/v1/authority-bindings', { agent_id: agent.id, ...terms }));
    const attested = { provider: 'eid', layer: 'person', claim_type: 'legal_name', assurance_level: 'L2' };
    const { id: identityId } = await made(
      platform().post('/v1/identity-claims', { ...attested, operator_id: own.operatorId }),
    );
    const { id: intentId } = await submit(own, {
      claim_type: 'intent_claim',
      payload: intent({ agent_id: agent.id }),
    });
    const form = await reader.open(`${PATH}/issue`);
    for (const [name, id] of [
      ['authority_binding_ids', bindingId],
      ['identity_claim_ids', identityId],
      ['intent.refs', intentId],
    ])
      assert(form.html.includes(`<input type="checkbox" name="${name}" value="${id}">`), name);
    const chosen = { authority_binding_ids: [bindingId], 'intent.summary': 'Send it', 'intent.services': 'mail' };
    const shown = await form.press('Issue it', { fields: { ...chosen, 'intent.refs': [intentId] } });
    assert.match(shown.text, /is shown this once/, shown.notices.join());
    const list = await reader.open(PATH);
    const [, session = ''] = /<option value="(ses_\w+)">/.exec(list.html) ?? [];
    assert.match((await reader.open(`${PATH}?session_id=${session}`)).text, new RegExp(agent.id));
  });

  it('list by state, agent and session', async () => {
    const other = await buildAgent(operator);
    const [active, revoked] = [await issued(), await issued({ agent_id: other.id })];
    assertStatus(await operator.post('/v1/passports/revoke', { jti: revoked.jti }), 200);
    const has = (page: WebPage): boolean[] => [active, revoked].map(({ jti }) => page.text.includes(jti));
    const first = await browser.open(PATH);
    assert.deepEqual(has(first), [true, false]);
    assert.deepEqual(has(await first.follow('Revoked')), [false, true]);
    assert.deepEqual(has(await first.follow('All')), [true, true]);
    const ofAgent = await browser.open(`${PATH}?status=all&agent_id=${other.id}`);
    assert.deepEqual(has(ofAgent), [false, true]);
    assert.deepEqual(has(await ofAgent.follow('Active')), [false, false]);
    const csv = await ofAgent.follow('CSV');
    assert.match(csv.html, new RegExp(`^"Passport",.*\r\n"${revoked.jti}"`));
  });

  it('show a passport with what was delegated from it, its limits and its report', async () => {
    const helper = await buildAgent(operator);
    const root = await issued();
    const child = await delegated(root, helper.id);
    const page = await browser.open(`${PATH}/${root.jti}`);
    assert.match(page.text, new RegExp(`Delegation ?${root.jti} \\(this one\\) active .*${child.jti} active`));
    assert.match(page.text, /It has no scopes at any service/);
    assert.match(page.text, /What was done ?Issued/);
    const below = await page.follow(child.jti);
    assert.match(below.text, new RegExp(`Delegated from ?${root.jti}.*${child.jti} \\(this one\\)`));
  });

  it('are 404 for that of another operator, to see and to revoke', async () => {
    const { jti, token } = await issued();
    const stranger = browserOf(await signIn((await buildOperator()).email));
    assert.equal((await stranger.open(`${PATH}/${jti}`)).status, 404);
    const form = new URLSearchParams({ act: 'revoke', reason: '' });
    assert.equal((await stranger.send(`${PATH}/${jti}`, form)).status, 404);
    assert.equal(await statusOf({ jti, token }), 'active');
  });

  it('are for members, as the calls of the API are', async () => {
    const member = browserOf(await buildPerson(operator, 'member'));
    const root = await issued();
    for (const path of [PATH, `${PATH}/issue`, `${PATH}/verify`, `${PATH}/${root.jti}`])
      assert.equal((await member.open(path)).status, 200, path);
    await (await member.open(`${PATH}/${root.jti}`)).press('Revoke it', { fields: { sure: 'true' } });
    assert.equal(await statusOf(root), 'revoked');
  });

  it('verify a token: decode it, and say by what a service would refuse it', async () => {
    const passport = await issued();
    const form = await browser.open(`${PATH}/verify`);
    const verified = (token: string, serviceId = ''): Promise<WebPage> =>
      form.press('Verify it', { fields: { token: ` ${token}\n`, service_id: serviceId } });
    const valid = await verified(passport.token);
    assert.match(valid.notices[0] ?? '', /^It counts now\./);
    assert(valid.text.includes('"alg": "EdDSA"') && valid.text.includes(`"jti": "${passport.jti}"`));
    assert(!valid.html.includes(passport.token), 'the token is not shown again');
    assert.doesNotMatch(valid.html, /<script>/);
    assert.match(
      (await verified(passport.token, 'github')).notices[0] ?? '',
      /service_not_in_scope.*not for this service/,
    );
    assertStatus(await operator.post('/v1/passports/revoke', { jti: passport.jti }), 200);
    const [head = '', payload = '', signature = ''] = passport.token.split('.');
    const cases: [token: string, reason: RegExp][] = [
      [passport.token, /revoked.*It was revoked/],
      [`${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`, /bad_signature/],
      [hostile, /malformed/],
    ];
    for (const [token, reason] of cases) {
      const page = await verified(token);
      assert.match(page.notices[0] ?? '', reason);
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.html, /<script>/);
    }
  });
});

describe('Revoking passports on their pages', () => {
  before(openOperator);

  it('revokes one with what was delegated, a session, and all of an agent', async () => {
    const helper = await buildAgent(operator);
    const buttons = ['Revoke it', 'Revoke the session', 'Revoke all of the agent'];
    for (const button of buttons) {
      const [root, second] = [await issued(), await issued()];
      const child = await delegated(root, helper.id);
      const page = await browser.open(`${PATH}/${root.jti}`);
      const done = await page.press(button, { fields: { reason: `stolen ${hostile}`, sure: 'true' } });
      assert.match(done.notices[0] ?? '', /revoked/);
      assert(done.text.includes(`stolen ${hostile}`));
      assert.doesNotMatch(done.html, /<script>/);
      assert.deepEqual([await statusOf(root), await statusOf(child)], ['revoked', 'revoked']);
      assert.equal(await statusOf(second), button === buttons[2] ? 'revoked' : 'active');
      assert(!done.buttons().includes('Revoke it'));
    }
  });

  it('keeps the reason that was refused', async () => {
    const { jti } = await issued();
    const page = await browser.open(`${PATH}/${jti}`);
    const reason = 'x'.repeat(2_001);
    const refused = await page.press('Revoke it', { fields: { reason, sure: 'true' } });
    assert.equal(refused.status, 400);
    assert(refused.html.includes(reason));
  });

  it('revokes every active passport by a box that is ticked', async () => {
    const passport = await issued();
    const page = await browser.open(PATH);
    const { action, values } = page.formOf('Revoke all passports', { fields: { confirm: 'true' } });
    values.delete('confirm');
    const refused = await browser.send(action, values);
    assert.equal(refused.status, 400);
    assert.equal(await statusOf(passport), 'active');
    const done = await page.press('Revoke all passports', { fields: { confirm: 'true', reason: 'fire' } });
    assert.match(done.notices[0] ?? '', /^Every active passport is revoked/);
    assert.equal(await statusOf(passport), 'revoked');
  });
});
