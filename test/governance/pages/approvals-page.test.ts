import assert from 'node:assert/strict';
import type { Approval } from '../../../src/governance/schema.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, type Requester } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { expire, fillApprovals, refusedWith, withApproval } from '../support.ts';

const hostile = `"><script>alert(1)</script>`;
const PATH = '/dashboard/approvals';

/** A change that a key may make only with a person's approval. */
async function weaken(operator: Requester, name = 'weaker') {
  const { id } = await buildAgent(operator, { accountability: 'enforced', name: `agent ${hostile}` });
  const send = (headers?: Record<string, string>) =>
    operator.patch(`/v1/agents/${id}`, { accountability: 'logged', name, monthly_limit_cents: null }, headers);
  const reply = await send();
  assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
  return { agentId: id, approvalId: refusedWith(reply).approval_id, send };
}

const statusOf = async (operator: Requester, id: string): Promise<string> =>
  assertStatus(await operator.get<Approval>(`/v1/governance/approvals/${id}`), 200).status;

describe('GET /dashboard/approvals', () => {
  let operator: TestOperator;
  let owner: Person;
  let browser: WebBrowser;
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
    browser = browserOf(owner);
  });

  it('says how the first comes about', async () => {
    const page = await browser.open(PATH);
    assert.deepEqual([page.status, page.title], [200, 'Approvals']);
    assert.match(page.text, /A request comes here when a key or token asks for what needs a person/);
  });

  it('shows what waits first, and what was decided by whom', async () => {
    const [waits, approved, rejected, lapsed, done] = [
      await weaken(operator),
      await weaken(operator),
      await weaken(operator),
      await weaken(operator),
      await weaken(operator),
    ];
    for (const { approvalId } of [approved, done])
      assertStatus(await owner.post(`/v1/governance/approvals/${approvalId}/approve`), 200);
    assertStatus(await owner.post(`/v1/governance/approvals/${rejected.approvalId}/reject`), 200);
    await expire(lapsed.approvalId);
    assertStatus(await done.send(withApproval(done.approvalId)), 200);
    const tabs = { Waiting: waits, Approved: approved, Done: done, Rejected: rejected, Lapsed: lapsed };
    for (const [tab, { approvalId }] of Object.entries(tabs)) {
      const page = await (await browser.open(PATH)).follow(tab);
      for (const { approvalId: id } of Object.values(tabs))
        assert.equal(page.text.includes(id), id === approvalId, tab);
      assert.equal(page.text.includes(operator.email), ['Approved', 'Done', 'Rejected'].includes(tab), tab);
      assert.equal(page.html.includes('>Decided by<'), tab !== 'Waiting', 'nobody has decided what waits');
    }
    const all = await (await browser.open(PATH)).follow('All');
    for (const { approvalId } of Object.values(tabs)) assert(all.text.includes(approvalId));
    const csv = await all.follow('CSV');
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(csv.html.trim().split('\r\n').length, 6);
    assert(csv.html.includes(`"${operator.email}"`));
  });

  it('rejects those that are chosen, of those that it shows', async () => {
    const all = [await weaken(operator), await weaken(operator), await weaken(operator)];
    const page = await browser.open(PATH);
    assert.equal(page.html.match(/type="checkbox" name="ids"/g)?.length, 3);
    const { action, values } = page.formOf('Reject the chosen');
    const none = await page.press('Reject the chosen');
    assert.equal(none.status, 400);
    for (const { approvalId } of all.slice(1)) values.append('ids', approvalId);
    const done = await browser.send(action, values);
    assert.match(done.notices[0] ?? '', /^Those that you chose are rejected/);
    const statuses = all.map(({ approvalId }) => statusOf(operator, approvalId));
    assert.deepEqual(await Promise.all(statuses), ['pending', 'rejected', 'rejected']);
  });

  it('stands on several pages where there are many', async () => {
    await fillApprovals(operator.operatorId, 30);
    const second = await (await browser.open(PATH)).follow('Older');
    assert.equal(second.html.match(/<tr>/g)?.length, 1 + 10);
  });

  it('has no button for a member, and says who decides', async () => {
    const { approvalId } = await weaken(operator);
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open(PATH);
    assert.deepEqual([page.status, page.buttons()], [200, ['Sign out']]);
    assert.match(page.text, /Owners and administrators see and decide approvals/);
    const form = new URLSearchParams({ act: 'reject', ids: approvalId });
    assert.equal((await member.send(PATH, form)).status, 403);
    const foreign = browserOf(await signIn((await buildOperator()).email));
    assert.equal((await foreign.send(PATH, form)).status, 400);
    assert.equal(await statusOf(operator, approvalId), 'pending');
  });
});

describe('GET /dashboard/approvals/:id', () => {
  it('shows old and new beside each other, and afterwards who decided', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const browser = browserOf(await signIn(operator.email));
    const { approvalId } = await weaken(operator, hostile);
    const page = await browser.open(`${PATH}/${approvalId}`);
    assert.doesNotMatch(page.html, /<script>/);
    assert.match(
      page.text,
      /As it was then\{ "accountability": "enforced", "name": "agent .*"\}|As it was then\{ "accountability": "enforced", .*As it would be\{ "accountability": "logged"/,
    );
    assert.match(page.text, /One more value that it names stays as it was/);
    await page.press('Approve');
    const decided = await browser.open(`${PATH}/${approvalId}`);
    assert(decided.cards[0]?.includes(`Approved by${operator.email}`), decided.cards[0]);
    assert.deepEqual(decided.buttons(approvalId), ['Withdraw the approval']);
  });

  it('shows no old and new where nothing exists that is changed', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const browser = browserOf(await signIn(operator.email));
    const made = await operator.post('/v1/members', { email: 'x@example.test', role: 'admin' });
    const page = await browser.open(`${PATH}/${refusedWith(made).approval_id}`);
    assert.doesNotMatch(page.text, /As it would be/);
  });
});
