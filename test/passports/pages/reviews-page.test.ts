import assert from 'node:assert/strict';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';

const hostile = `"><script>alert(1)</script>`;
const PATH = '/dashboard/reviews';

describe('GET /dashboard/reviews', () => {
  let operator: TestOperator;
  let browser: WebBrowser;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    browser = browserOf(await signIn(operator.email));
  });

  /** A review of work with one checkpoint, one delegation and a flag. */
  async function reviewed() {
    const agent = await buildAgent(operator, { accountability: 'enforced', name: `night ${hostile}` });
    const helper = await buildAgent(operator);
    const issue = await operator.post<{ jti: string; token: string }>('/v1/passports/issue', {
      agent_id: agent.id,
      intent: { summary: `sort ${hostile}`, services: [] },
      checkpoint_interval_seconds: 60,
    });
    const { jti, token } = assertStatus(issue, 201);
    const given = { parent_passport_token: token, child_agent_id: helper.id, scopes: [] };
    const child = assertStatus(await operator.post<{ jti: string }>('/v1/passports/delegate', given), 201);
    const report = { services_used: [], actions_count: 1 };
    assertStatus(await operator.post(`/v1/passports/${jti}/checkpoint`, report), 201);
    const sent = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, {
      ...report,
      services_used: ['undeclared'],
    });
    return { id: assertStatus(sent, 201).checkout.id, agentId: agent.id, jti, child: child.jti };
  }

  it('says how the first comes about, in each state', async () => {
    const page = await browser.open(PATH);
    assert.match(page.text, /A review comes here when an agent whose accountability is enforced sends its checkout/);
    assert.match((await page.follow('Approved')).text, /No review was approved yet/);
    assert.match((await page.follow('Blocked')).text, /No review was decided as blocked/);
  });

  it('shows what waits, and what was decided by whom', async () => {
    const [waits, approved, blocked] = [await reviewed(), await reviewed(), await reviewed()];
    const person = await buildPerson(operator, 'admin');
    const decided = browserOf(person);
    await (await decided.open(`${PATH}/${approved.id}`)).press('Approve', { fields: { notes: `fine ${hostile}` } });
    await (await decided.open(`${PATH}/${blocked.id}`)).press('Block');
    const tabs = { Waiting: waits, Approved: approved, Blocked: blocked };
    for (const [tab, { jti }] of Object.entries(tabs)) {
      const page = await (await browser.open(PATH)).follow(tab);
      for (const one of Object.values(tabs)) assert.equal(page.text.includes(one.jti), one.jti === jti, tab);
      assert.equal(page.text.includes(person.email), tab !== 'Waiting', tab);
      assert.equal(page.html.includes('>Decided by<'), tab !== 'Waiting', 'nobody has decided what waits');
      assert.match(page.text, /critical/);
      assert.doesNotMatch(page.html, /<script>/);
      assert((await page.follow('CSV')).html.includes(jti));
    }
    const shown = await browser.open(`${PATH}/${approved.id}`);
    assert.match(shown.cards.at(-1) ?? '', new RegExp(`Decided ?approved .*, by ${person.email}`));
    assert(shown.text.includes(`fine ${hostile}`));
    assert.deepEqual(shown.buttons(approved.id), []);
  });

  it('leads to a page that has the session step by step, and what was delegated', async () => {
    const { id, jti, child } = await reviewed();
    const page = await browser.open(`${PATH}/${id}`);
    const steps = ['Issued', 'Checkpoint 1 in time', 'Flag: undeclared_service', 'Checkout', 'A person decides'];
    assert.match(page.text, new RegExp(steps.join('.*')));
    assert.match(page.text, new RegExp(`${jti} \\(this one\\).*${child}`));
    assert.doesNotMatch(page.html, /<script>/);
    assert.equal((await page.follow('All reviews')).title, 'Reviews');
  });

  it('is for members without buttons', async () => {
    const { id } = await reviewed();
    const member = browserOf(await buildPerson(operator, 'member'));
    assert((await member.open(PATH)).text.includes('critical'));
    assert.deepEqual((await member.open(`${PATH}/${id}`)).buttons(id), []);
  });
});
