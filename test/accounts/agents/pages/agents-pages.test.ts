import assert from 'node:assert/strict';
import type { Agent } from '../../../../src/accounts/agents/schema.ts';
import { buildAgent, buildAgentKey, buildOperator, type TestOperator } from '../../../support/factories.ts';
import { buildPerson, signIn } from '../../../support/people.ts';
import { assertStatus } from '../../../support/service.ts';
import { browserOf, type WebBrowser } from '../../../support/web-browser.ts';

const hostile = `"><script>alert(1)</script>`;
const PATH = '/dashboard/agents';

describe('Pages of agents', () => {
  let operator: TestOperator;
  let browser: WebBrowser;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    browser = browserOf(await signIn(operator.email));
  });

  const agentOf = async (id: string): Promise<Agent> =>
    assertStatus(await operator.get<Agent>(`/v1/agents/${id}`), 200);

  it('say how the first agent comes about, and register it', async () => {
    const first = await browser.open(PATH);
    assert.match(first.text, /There is no agent yet\. Register the first below/);
    const refused = await first.press('Register it', {
      fields: { name: 'first', checkpoint_interval_seconds: '5', accountability: 'logged' },
    });
    assert.equal(refused.status, 400);
    assert(refused.html.includes('value="first"') && refused.html.includes('value="5"'), 'what was typed stays');
    const made = await refused.press('Register it', {
      fields: { name: `first ${hostile}`, checkpoint_interval_seconds: '60' },
    });
    assert.match(made.path, /^\/dashboard\/agents\/ag_/);
    assert.equal(made.title, `“first ${hostile}”`);
    assert.doesNotMatch(made.html, /<script>/);
    const list = await browser.open(PATH);
    assert.doesNotMatch(list.html, /<script>/);
    assert.match(list.text, /logged ?60 s/);
    assert.match((await list.follow('CSV')).html, /"logged",60,/);
  });

  it('change, retire and bring back', async () => {
    const { id } = await buildAgent(operator, { accountability: 'enforced', monthly_limit_cents: 500 });
    await buildAgentKey(operator, id);
    const page = await browser.open(`${PATH}/${id}`);
    assert.match(page.text, /Keys ?1/);
    const changed = await page.press('Save', {
      fields: { name: 'renamed', accountability: 'logged', monthly_limit_cents: '' },
    });
    assert.match(changed.notices[0] ?? '', /^It is changed/);
    const now = await agentOf(id);
    assert.deepEqual([now.name, now.accountability, now.monthly_limit_cents], ['renamed', 'logged', null]);
    const refused = await changed.press('Save', { fields: { name: 'kept', checkpoint_interval_seconds: '5' } });
    assert.equal(refused.status, 400);
    assert(refused.html.includes('value="kept"'));
    const retired = await refused.press('Retire it', { fields: { sure: 'true' } });
    assert.equal((await agentOf(id)).status, 'disabled');
    await retired.press('Bring it back');
    assert.equal((await agentOf(id)).status, 'active');
  });

  it('block an agent, and unblock it', async () => {
    const { id } = await buildAgent(operator);
    const blocked = await (await browser.open(`${PATH}/${id}`)).press('Block it', { fields: { notes: hostile } });
    assert.match(blocked.notices[0] ?? '', /^It is blocked/);
    assert(blocked.text.includes(hostile));
    assert.doesNotMatch(blocked.html, /<script>/);
    assert.equal((await agentOf(id)).status, 'blocked');
    const free = await blocked.press('Unblock the agent');
    assert.equal((await agentOf(id)).status, 'active');
    assert(!free.buttons().includes('Unblock the agent'));
  });

  it('lead to passports and grants of the agent, and are 404 for that of another operator', async () => {
    const { id } = await buildAgent(operator);
    const page = await browser.open(`${PATH}/${id}`);
    const hrefs = new Set(page.links().map(({ href }) => href));
    for (const path of ['passports', 'passports/issue', 'grants'])
      assert(hrefs.has(`/dashboard/${path}?agent_id=${id}`), path);
    assert.equal((await page.follow('Its passports')).status, 200);
    const stranger = browserOf(await signIn((await buildOperator()).email));
    assert.equal((await stranger.open(`${PATH}/${id}`)).status, 404);
    const form = new URLSearchParams({ act: 'block', notes: '' });
    assert.equal((await stranger.send(`${PATH}/${id}`, form)).status, 404);
    assert.equal((await agentOf(id)).status, 'active');
  });

  it('are for members too, whose change that needs a person waits for one', async () => {
    const { id } = await buildAgent(operator, { accountability: 'enforced' });
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open(`${PATH}/${id}`);
    assert.doesNotMatch(page.text, /answer for/);
    const refused = await page.press('Save', { fields: { accountability: 'logged' } });
    assert.equal(refused.status, 403);
    assert.match(refused.notices[0] ?? '', /approve/);
    const blocked = await page.press('Block it');
    assert(!blocked.buttons().includes('Unblock the agent'));
    assert.match(blocked.text, /An owner or administrator unblocks it; you are a member/);
    assert.equal((await agentOf(id)).accountability, 'enforced');
  });

  it('make the change of a member once a person has approved it, by the same form', async () => {
    const { id } = await buildAgent(operator, { accountability: 'enforced' });
    const member = browserOf(await buildPerson(operator, 'member'));
    const weaken = { fields: { accountability: 'logged' } };
    const refused = await (await member.open(`${PATH}/${id}`)).press('Save', weaken);
    assert(refused.notices.some((notice) => notice.includes('send this form again')));
    const again = await refused.press('Save', weaken);
    assert.match(again.notices[0] ?? '', /nobody has decided it yet/);
    const approval = /apr_\w+/.exec(again.text)?.[0] ?? '';
    await (await browser.open(`/dashboard/approvals/${approval}`)).press('Approve');
    assert.equal((await agentOf(id)).accountability, 'enforced');
    const done = await again.press('Save', weaken);
    assert.equal(done.status, 200);
    assert.equal((await agentOf(id)).accountability, 'logged');
    const { body } = await operator.get<{ status: string }>(`/v1/governance/approvals/${approval}`);
    assert.equal(body.status, 'consumed');
  });
});
