import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createEncryption } from '../../../src/context/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import type { Approval } from '../../../src/governance/schema.ts';
import { expire, fillApprovals, refusedWith, withApproval } from '../../governance/support.ts';
import { buildAgent, buildOperator, credit, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, codeFor, moveCode, signIn, type Person } from '../../support/people.ts';
import {
  assertProblem,
  assertStatus,
  database,
  platform,
  requester,
  service,
  type Requester,
} from '../../support/service.ts';
import { browserOf, WebBrowser, type WebPage } from '../../support/web-browser.ts';

const hostile = `"><script>alert(1)</script>\u202e`;

/** A change that a key may make only with a person's approval. */
async function weaken(operator: Requester, name = 'weaker') {
  const { id } = await buildAgent(operator, { accountability: 'enforced' });
  const send = (headers?: Record<string, string>) =>
    operator.patch(`/v1/agents/${id}`, { accountability: 'logged', name }, headers);
  const reply = await send();
  assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
  return { agentId: id, approvalId: refusedWith(reply).approval_id, send };
}

const statusOf = async (operator: Requester, id: string): Promise<string> =>
  assertStatus(await operator.get<Approval>(`/v1/governance/approvals/${id}`), 200).status;

/** A review of a new agent. @param services that it says it has used; one that was not declared is a critical flag */
async function reviewed(operator: Requester, services: readonly string[] = [], name = unique('agent')) {
  const agentId = (await buildAgent(operator, { accountability: 'enforced', name })).id;
  const issued = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId }), 201);
  const report = {
    services_used: services,
    actions_count: 3,
    summary: `did ${hostile}`,
    tool_calls: [{ service: 'x', method: hostile }],
  };
  const path = `/v1/passports/${issued.jti}/checkout`;
  const sent = assertStatus(await operator.post<{ checkout: { id: string } }>(path, report), 201);
  return { agentId, jti: issued.jti, reviewId: sent.checkout.id };
}

const pagesOf = async ({ email }: TestOperator): Promise<{ owner: Person; browser: WebBrowser }> => {
  const owner = await signIn(email);
  return { owner, browser: browserOf(owner) };
};

describe('GET /dashboard', () => {
  it('leads to where people sign in', async () => {
    for (const browser of [new WebBrowser(), browserOf({ cookie: `carnet_session=${'A'.repeat(43)}` })]) {
      const page = await browser.open('/dashboard');
      assert.deepEqual([page.path, page.title], ['/dashboard/sign-in', 'Sign in']);
    }
  });

  it('opens itself again for a browser that follows a link of another site, since that leaves the cookie out', async () => {
    const stranger = new WebBrowser();
    const cross = { 'sec-fetch-site': 'cross-site' };
    const page = await stranger.open('/dashboard', cross);
    assert.deepEqual([page.status, page.headers.get('refresh')], [200, '0; url=/dashboard?again']);
    assert.equal((await stranger.open('/dashboard?again', cross)).title, 'Sign in', 'once');
    const operator = await buildOperator();
    const { browser } = await pagesOf(operator);
    assert.equal((await browser.open('/dashboard?again')).title, operator.name);
  });

  it('says who is signed in, what the wallet has, and that nothing waits', async () => {
    const operator = await buildOperator({ name: `Ada ${hostile}`, email: `${unique('ada')}@example.test` });
    await credit(operator.operatorId, 123_456);
    const { browser } = await pagesOf(operator);
    const page = await browser.open('/dashboard');
    assert.equal(page.title, `Ada "><script>alert(1)</script>[U+202E]`);
    assert.doesNotMatch(page.html, /<script(?! src="\/assets\/)|\u202e/);
    assert.match(page.text, /an owner/);
    assert(page.account.includes(operator.email));
    assert.match(page.text, /Available in the wallet \$1234\.56 Held \$0\.00/);
    assert.match(page.text, /Nothing waits for you\./);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  });

  it('is refused while the operator is suspended', async () => {
    const operator = await buildOperator();
    const { browser } = await pagesOf(operator);
    await suspend(operator.operatorId);
    assert.equal((await browser.open('/dashboard')).status, 403);
  });

  it('answers HEAD and its form, and no other method', async () => {
    const { owner } = await pagesOf(await buildOperator());
    assertStatus(await owner.get('/dashboard'), 200);
    assert.equal((await owner.put('/dashboard', {})).status, 405);
    assert.equal((await owner.put('/dashboard', {})).headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
  });
});

describe('Approvals on the dashboard', () => {
  let operator: TestOperator;
  let owner: Person;
  let browser: WebBrowser;
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'business' });
    ({ owner, browser } = await pagesOf(operator));
  });

  it('show the exact request, who asked, what it does and when it lapses', async () => {
    const made = await owner.post<{ key: string; last4: string }>('/v1/api-keys', {
      name: `bot ${hostile}`,
      kind: 'operator',
      role: 'admin',
    });
    const { key, last4 } = assertStatus(made, 201);
    const { agentId, approvalId } = await weaken(requester(key), hostile);
    const page = await browser.open('/dashboard');
    const [card, ...others] = page.cards;
    assert(card !== undefined && others.length === 0);
    for (const part of [
      'Holding an agent to less',
      'An agent that is held to less reports less',
      `PATCH /v1/agents/${agentId}`,
      '{ "accountability": "logged", "name": "\\"><script>alert(1)</script>\\u202e" }',
      '"accountability": "enforced"',
      `the key “bot "><script>alert(1)</script>[U+202E]” (…${last4}), which ${operator.email} stands behind`,
      approvalId,
    ])
      assert(card.includes(part), `${part} in ${card}`);
    assert.doesNotMatch(page.html, /<script(?! src="\/assets\/)|\u202e/);
    const { expires_at: expires } = assertStatus(
      await operator.get<Approval>(`/v1/governance/approvals/${approvalId}`),
      200,
    );
    assert(page.html.includes(`<time datetime="${expires}">`));
  });

  it('are approved, once, however often the form is sent', async () => {
    const { approvalId, send } = await weaken(operator);
    const page = await browser.open('/dashboard');
    const { action, values } = page.formOf('Approve');
    const decided = await page.press('Approve');
    assert.equal(decided.path, `/dashboard?decided=${approvalId}&done=approve`);
    assert.match(decided.html, /tabindex="-1" autofocus><p class="notice good" role="status">Approved/);
    assert.match(decided.notices[0] ?? '', /^Approved: PATCH \/v1\/agents\//);
    assert.match(decided.text, /Nothing waits for you/);
    assert.equal((await browser.send(action, values)).path, decided.path);
    assertStatus(await send(withApproval(approvalId)), 200);
    const used = await browser.open(decided.path);
    assert.match(used.notices[0] ?? '', /^Approved, and done/);
    const trail = await operator.get<{ audit_events: { action: string; actor: string; target: string }[] }>(
      '/v1/audit-events',
    );
    const events = assertStatus(trail, 200).audit_events.filter(({ target }) => target === approvalId);
    assert.deepEqual(
      events.map((event) => event.action),
      ['approval.consumed', 'approval.approved', 'approval.requested'],
    );
    assert.match(events[1]?.actor ?? '', /^mem_/);
  });

  it('are rejected, and a decision stands', async () => {
    const { approvalId } = await weaken(operator);
    const page = await browser.open('/dashboard');
    const rejected = await page.press('Reject');
    assert.match(rejected.notices[0] ?? '', /^Rejected: PATCH/);
    assert.equal(await statusOf(operator, approvalId), 'rejected');
    const late = await page.press('Approve');
    assert.equal(late.status, 409);
    assert.match(late.text, /The approval is rejected; only a pending one can be approved/);
    assert.deepEqual(late.buttons(approvalId), []);
  });

  it('are withdrawn on their own page until they are used', async () => {
    const { approvalId, send } = await weaken(operator);
    await (await browser.open('/dashboard')).press('Approve');
    const page = await browser.open(`/dashboard/approvals/${approvalId}`);
    await page.press('Withdraw the approval');
    assert.equal(await statusOf(operator, approvalId), 'rejected');
    assertProblem(await send(withApproval(approvalId)), 'GOVERNANCE_APPROVAL_REQUIRED');
  });

  it('are rejected together, and those that came since the page was shown wait', async () => {
    const fresh = await buildOperator();
    const pages = await pagesOf(fresh);
    const [first, second] = [await weaken(fresh), await weaken(fresh)];
    const page = await pages.browser.open('/dashboard');
    const later = await weaken(fresh);
    await page.press('Reject these 2');
    const statuses = [first, second, later].map(({ approvalId }) => statusOf(fresh, approvalId));
    assert.deepEqual(await Promise.all(statuses), ['rejected', 'rejected', 'pending']);
  });

  it('that lapsed, or whose subject has changed since the page was shown, are refused in words', async () => {
    const first = await weaken(operator);
    const page = await browser.open('/dashboard');
    await expire(first.approvalId);
    const late = await page.press('Approve');
    assert.deepEqual([late.status, await statusOf(operator, first.approvalId)], [409, 'expired']);
    assert.match(late.text, /The approval is expired/);
    const second = await weaken(operator);
    const shown = await browser.open('/dashboard');
    assertStatus(await operator.patch(`/v1/agents/${second.agentId}`, { checkpoint_interval_seconds: 60 }), 200);
    assertProblem(await second.send(), 'GOVERNANCE_APPROVAL_REQUIRED');
    const changed = await shown.press('Approve', { card: second.approvalId });
    assert.equal(changed.status, 409);
    assert.match(changed.text, /what it is about has changed since/);
  });

  it('of another operator are 404, to see and to decide', async () => {
    const { approvalId } = await weaken(operator);
    const stranger = (await pagesOf(await buildOperator())).browser;
    const path = `/dashboard/approvals/${approvalId}`;
    for (const page of [
      await stranger.open(path),
      await stranger.send(path, new URLSearchParams({ act: 'approve' })),
    ]) {
      assert.equal(page.status, 404);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    }
    assert.equal((await browser.open('/dashboard/approvals/apr_none')).status, 404);
    assert.equal((await stranger.open(`/dashboard?decided=${approvalId}`)).notices.length, 0);
    assert.equal(await statusOf(operator, approvalId), 'pending');
  });

  it('are decided from pages of this service alone, by forms that are whole', async () => {
    const { approvalId } = await weaken(operator);
    const path = `/dashboard/approvals/${approvalId}`;
    const approved = new URLSearchParams({ act: 'approve' });
    for (const origin of ['https://evil.example', 'null', ''])
      assert.equal((await browser.send(path, approved, { origin })).status, 403, origin);
    for (const form of ['', 'act=consume', 'act=approve&act=approve', 'act=approve&act=reject'])
      assert.equal((await browser.send(path, new URLSearchParams(form))).path, path, form);
    assert.equal((await owner.post(path, { act: 'approve' })).status, 415);
    assert.equal(await statusOf(operator, approvalId), 'pending');
  });

  it('lead to signing in where the session has ended since the page was shown, and back', async () => {
    const { approvalId } = await weaken(operator);
    const page = await browser.open('/dashboard');
    assertStatus(await owner.delete('/v1/dashboard/sessions/current'), 200);
    const ended = await page.press('Approve');
    assert.deepEqual([ended.status, ended.title], [200, 'Sign in']);
    assert.match(ended.notices[0] ?? '', /Your session is over, and nothing was changed/);
    assert.equal(
      ended.formOf('Send me a code', { fields: { email: 'x' } }).values.get('next'),
      `/dashboard/approvals/${approvalId}`,
    );
    assert.equal(await statusOf(operator, approvalId), 'pending');
  });

  it('are approved by a form that came when its session had ended, once it is sent again', async () => {
    const { approvalId } = await weaken(operator);
    const page = await browser.open(`/dashboard/approvals/${approvalId}`);
    browser.cookies.delete('carnet_session');
    await moveCode(operator.email, 'sent_at', -31);
    const ended = await page.press('Approve');
    const code = await ended.press('Send me a code', { fields: { email: operator.email } });
    const signedIn = await code.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    const shown = await signedIn.press('Show the form');
    assert.match(shown.notices[0] ?? '', /so nothing was done/);
    assert.equal(await statusOf(operator, approvalId), 'pending');
    assert.match((await shown.press('Approve')).notices[0] ?? '', /^Approved/);
  });

  it('are seen by members without their bodies and without buttons', async () => {
    const { approvalId } = await weaken(operator, 'unseen');
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open('/dashboard');
    const [card] = page.cards;
    assert.match(card ?? '', /An owner or administrator decides this; you are a member/);
    assert.doesNotMatch(card ?? '', /unseen/);
    assert.deepEqual(page.buttons(approvalId), []);
    const refused = await member.send(`/dashboard/approvals/${approvalId}`, new URLSearchParams({ act: 'approve' }));
    assert.equal(refused.status, 403);
    assert.match(refused.notices[0] ?? '', /role admin/);
    assert.equal(await statusOf(operator, approvalId), 'pending');
  });

  it('that somebody may not approve they may reject, and read why', async () => {
    const admin = browserOf(await buildPerson(operator, 'admin'));
    const email = `${unique('owner')}@example.test`;
    const reply = await operator.post('/v1/members', { email, role: 'owner' });
    const { approval_id: forOwners } = refusedWith(reply);
    const page = await admin.open('/dashboard');
    assert.deepEqual(page.buttons(forOwners), ['Reject']);
    assert.match(page.text, /Adding an owner is for an owner to decide/);
    const own = await weaken(requester((await keyOf(owner)).key));
    const mine = await browser.open(`/dashboard/approvals/${own.approvalId}`);
    assert.deepEqual(mine.buttons(own.approvalId), ['Reject']);
    assert.match(mine.text, /You made this request yourself/);
    assert.match((await mine.press('Reject')).notices[0] ?? '', /^Rejected/);
    const forged = await admin.send(`/dashboard/approvals/${forOwners}`, new URLSearchParams({ act: 'approve' }));
    assert.equal(forged.status, 403);
  });

  const keyOf = async (person: Person): Promise<{ key: string }> =>
    assertStatus(
      await person.post<{ key: string }>('/v1/api-keys', { name: unique('key'), kind: 'operator', role: 'admin' }),
      201,
    );

  it('show of a secret how long it is', async () => {
    const { id: agentId } = await buildAgent(operator);
    const secret = 'a-secret-of-the-provider-0123456789';
    const body = { provider: 'generic', agent_id: agentId, policy: { block_at: 'critical' }, secret };
    assertProblem(await operator.post('/v1/operator/inbound-webhooks', body), 'GOVERNANCE_APPROVAL_REQUIRED');
    const page = await browser.open('/dashboard');
    assert(!page.html.includes(secret));
    assert(page.cards[0]?.includes(`"secret": "(set; ${secret.length} characters, not shown)"`), page.cards[0]);
  });

  it('whose body cannot be opened any more can be rejected only', async () => {
    const { approvalId } = await weaken(operator);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`update governance_approvals set body = 'x' where id = ${approvalId}`);
    const page = await browser.open('/dashboard');
    assert.deepEqual(page.buttons(approvalId), ['Reject']);
    assert.match(page.text, /cannot be shown any more/);
  });

  it('that are long are read whole before they are approved', async () => {
    const { approvalId } = await weaken(operator);
    const key = await readFile(join(service().dataDir, 'encryption.key'), 'utf8');
    const long = JSON.stringify({ body: { text: 'x'.repeat(5_000) }, subject: null });
    const sealed = createEncryption([Buffer.from(key, 'base64')]).encrypt(long, `approval:${approvalId}`);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`update governance_approvals set body = ${sealed} where id = ${approvalId}`);
    const page = await browser.open('/dashboard');
    assert.deepEqual(page.buttons(approvalId), []);
    const whole = await page.follow('Read all of it, and decide');
    assert.deepEqual(whole.buttons(approvalId), ['Approve', 'Reject']);
    assert(whole.text.includes('x'.repeat(5_000)));
  });

  it('stand on several pages where there are many, three on each, and all of them in a list', async () => {
    await fillApprovals(operator.operatorId, 5);
    const first = await browser.open('/dashboard');
    assert.deepEqual([first.cards.length, /Approvals 5/.test(first.text)], [3, true]);
    const second = await first.follow('Older');
    assert.equal(second.cards.length, 2);
    assert.equal((await second.follow('Newer')).cards.length, 3);
    assert.equal((await first.follow('All approvals in a list')).title, 'Approvals');
    for (const page of ['0', '-1', 'x', '99999', '1e9', ''])
      assert.equal((await browser.open(`/dashboard?approvals=${page}`)).status, 200);
    assert.equal((await (await browser.open('/dashboard?approvals=99999')).follow('Newer')).cards.length, 2);
  });

  it('of the platform name its key', async () => {
    const body = { amount_cents: 100, description: unique('gift') };
    const reply = await platform().post(`/v1/admin/operators/${operator.operatorId}/adjustments`, body);
    const { approval_id: approvalId } = refusedWith(reply);
    const theirs = browserOf(await buildPerson({ operatorId: 'op_platform' }, 'owner'));
    assert.equal((await theirs.open('/dashboard')).status, 200);
    const page = await theirs.open(`/dashboard/approvals/${approvalId}`);
    assert.match(page.text, /Asked for by\s*the platform’s key,/);
    assert.match((await page.press('Reject')).notices[0] ?? '', /^Rejected/);
  });
});

describe('Reviews on the dashboard', () => {
  let operator: TestOperator;
  let browser: WebBrowser;
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'business' });
    ({ browser } = await pagesOf(operator));
  });

  const reviewOf = async (id: string): Promise<{ status: string; notes: string | null }> => {
    for (const status of ['pending', 'approved', 'blocked']) {
      const list = await operator.get<{ reviews: { checkout_id: string; status: string; notes: string | null }[] }>(
        `/v1/passports/reviews?status=${status}`,
      );
      const found = assertStatus(list, 200).reviews.find(({ checkout_id }) => checkout_id === id);
      if (found !== undefined) return found;
    }
    return assert.fail('no review');
  };
  const agentStatus = async (id: string): Promise<unknown> =>
    assertStatus(await operator.get(`/v1/agents/${id}`), 200).status;

  it('show the agent, the risk and each flag, and on their own page the report', async () => {
    const { reviewId, jti, agentId } = await reviewed(operator, ['undeclared'], `night ${hostile}`);
    const page = await browser.open('/dashboard');
    const [card] = page.cards;
    for (const part of ['night "><script>', agentId, 'critical', 'undeclared_service', jti, reviewId])
      assert(card?.includes(part), `${part} in ${card}`);
    const whole = await browser.open(`/dashboard/reviews/${reviewId}`);
    assert.match(whole.text, /did "><script>alert\(1\)<\/script>\[U\+202E\]/);
    assert.match(whole.text, /Actions\s*3/);
    assert.doesNotMatch(page.html + whole.html, /<script(?! src="\/assets\/)|\u202e/);
  });

  it('are approved with notes, once, however often the form is sent', async () => {
    const { reviewId } = await reviewed(operator);
    const page = await browser.open('/dashboard');
    const pressed = { fields: { notes: ' fine ' } };
    const { action, values } = page.formOf('Approve', pressed);
    const decided = await page.press('Approve', pressed);
    assert.match(decided.notices[0] ?? '', /^Approved: the review of/);
    assert.match(decided.text, /Nothing waits for you/);
    const { status, notes } = await reviewOf(reviewId);
    assert.deepEqual([status, notes], ['approved', 'fine']);
    assert.equal((await browser.send(action, values)).path, decided.path);
    const other = await page.press('Block');
    assert.deepEqual([other.status, other.notices[0]], [409, 'The review was decided as approved; a decision stands.']);
  });

  it('are blocked, which leaves the agent held, or blocked with the agent', async () => {
    const [first, second] = [await reviewed(operator, ['undeclared']), await reviewed(operator, ['undeclared'])];
    const page = await browser.open('/dashboard');
    const blocked = await page.press('Block', { card: first.reviewId });
    assert.match(blocked.notices[0] ?? '', /^Blocked: the review of .* The agent is held\. What it has to answer for$/);
    const agentBlocked = await blocked.press('Block the agent', { card: second.reviewId });
    assert.match(agentBlocked.notices[0] ?? '', /The agent is blocked\. What it has to answer for$/);
    assert.deepEqual([await agentStatus(first.agentId), await agentStatus(second.agentId)], ['active', 'blocked']);
    assert.deepEqual(
      [(await reviewOf(first.reviewId)).status, (await reviewOf(second.reviewId)).status],
      ['blocked', 'blocked'],
    );
    const again = await browser.open(`/dashboard/reviews/${first.reviewId}`);
    assert.match((await again.press('Block the agent')).notices[0] ?? '', /The agent is blocked\./);
    assert.equal(await agentStatus(first.agentId), 'blocked');
  });

  it('lead to the agent, which is unblocked by who has seen every block of it', async () => {
    const { agentId, reviewId } = await reviewed(operator, ['undeclared']);
    const blocking = await browser.open(`/dashboard/reviews/${reviewId}`);
    await blocking.press('Block the agent');
    const page = await browser.open(`/dashboard/agents/${agentId}`);
    assert.match(page.text, /undeclared_service/);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      select block_agent(operator_id, id, null, 'mem_another', 'Never again.') from agents where id = ${agentId}`);
    const refused = await page.press('Unblock the agent');
    assert.equal(refused.status, 409);
    assert.match(refused.notices[0] ?? '', /has changed since you looked at it/);
    assert.match(refused.text, /Never again\./);
    assert.equal(await agentStatus(agentId), 'blocked');
    const unblocked = await refused.press('Unblock the agent');
    assert.equal(await agentStatus(agentId), 'active');
    assert(!unblocked.buttons().includes('Unblock the agent'));
  });

  it('that have changed since the page was shown are refused in words, and shown as they are now', async () => {
    const { reviewId } = await reviewed(operator);
    const page = await browser.open('/dashboard');
    const pool = await database();
    await pool.query(sql.type(z.object({}))`update checkouts set missed = true where id = ${reviewId}`);
    const refused = await page.press('Approve', { fields: { notes: 'Fine by me.' } });
    assert.equal(refused.status, 409);
    assert.match(refused.notices[0] ?? '', /A report, a flag or a decision has come since you looked/);
    assert.equal((await reviewOf(reviewId)).status, 'pending');
    await refused.press('Approve');
    const { status, notes } = await reviewOf(reviewId);
    assert.deepEqual([status, notes], ['approved', 'Fine by me.'], 'the notes are kept');
  });

  it('keep their notes where the session has ended, and are decided once the form is sent again', async () => {
    const { reviewId } = await reviewed(operator);
    const page = await browser.open(`/dashboard/reviews/${reviewId}`);
    browser.cookies.delete('carnet_session');
    await moveCode(operator.email, 'sent_at', -31);
    const ended = await page.press('Approve', { fields: { notes: '<b>kept' } });
    const code = await ended.press('Send me a code', { fields: { email: operator.email } });
    const signedIn = await code.press('Sign in', { fields: { code: await codeFor(operator.email) } });
    const shown = await signedIn.press('Show the form');
    assert.equal(shown.formOf('Approve').values.get('notes'), '<b>kept');
    assert.equal((await reviewOf(reviewId)).status, 'pending');
    assert.match((await shown.press('Approve')).notices[0] ?? '', /^Approved/);
  });

  it('of another operator are 404, and need whole forms', async () => {
    const { reviewId } = await reviewed(operator);
    const path = `/dashboard/reviews/${reviewId}`;
    const form = new URLSearchParams({ act: 'approve', notes: '', seen: '' });
    const stranger = (await pagesOf(await buildOperator())).browser;
    assert.equal((await stranger.open(path)).status, 404);
    assert.equal((await stranger.send(path, form)).status, 404);
    assert.equal((await browser.send(path, form)).status, 409, 'nobody decides what they have not seen');
    assert.equal((await browser.send(path, new URLSearchParams({ act: 'approve' }))).status, 409);
    assert.equal((await browser.send(path, form, { origin: 'https://evil.example' })).status, 403);
    form.set('notes', 'x'.repeat(1_001));
    const long = await browser.send(path, form);
    assert.deepEqual([long.status, /1000|1,000/.test(long.notices[0] ?? '')], [400, true]);
    assert.equal((await reviewOf(reviewId)).status, 'pending');
  });

  it('with more flags than the list shows are decided on their own page', async () => {
    const { reviewId, jti } = await reviewed(operator, ['undeclared']);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
      select lineage_id, jti, 'late_checkpoint', 'warning', 'test ' || n, 'late ' || n, clock_timestamp()
      from passport_flags, generate_series(1, 25) n where jti = ${jti}`);
    const page = await browser.open('/dashboard');
    assert.deepEqual(page.buttons(reviewId), []);
    assert.match(page.text, /and 6 more/);
    const whole = await page.follow('Read all of it, and decide');
    assert.match(whole.text, /late 25/);
    assert.match((await whole.press('Approve')).notices[0] ?? '', /^Approved/);
  });

  /** A review of work with so many checkpoints and calls in its checkout, and as many in its first checkpoint. */
  async function reported({ checkpoints, calls }: { checkpoints: number; calls: number }) {
    const { id } = await buildAgent(operator, { accountability: 'enforced', name: unique('agent') });
    const issued = assertStatus(await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: id }), 201);
    const path = `/v1/passports/${issued.jti}`;
    const made = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ service: 'x', method: `call-${n + 1}-of-${count}` }));
    for (let n = 1; n <= checkpoints; n++)
      assertStatus(
        await operator.post(`${path}/checkpoint`, {
          services_used: [],
          actions_count: n,
          summary: `step ${n} ends`,
          tool_calls: n === 1 ? made(calls) : [],
        }),
        201,
      );
    const sent = await operator.post<{ checkout: { id: string } }>(`${path}/checkout`, {
      services_used: [],
      actions_count: checkpoints,
      tool_calls: made(calls + 1),
    });
    return `/dashboard/reviews/${assertStatus(sent, 201).checkout.id}`;
  }
  const titlesOf = (page: WebPage): string[] =>
    page.cards.flatMap((card) => /^(?:Checkpoint \d+|Checkout)/.exec(card)?.[0] ?? []);
  const down = (from: number, to: number): string[] =>
    Array.from({ length: from - to + 1 }, (_, n) => `Checkpoint ${from - n}`);

  it('show all checkpoints of a short report, the newest first, and all their calls', async () => {
    const page = await browser.open(await reported({ checkpoints: 3, calls: 19 }));
    assert.deepEqual(titlesOf(page), ['Checkout', ...down(3, 1)]);
    for (const part of ['step 1 ends', 'step 3 ends', 'call-19-of-19', 'call-20-of-20'])
      assert(page.text.includes(part), part);
    assert.doesNotMatch(page.text, /Not on this page|\d more|Older|Newer/);
  });

  it('say beside the decision what of a long report is not on the page, and lead to it', async () => {
    const path = await reported({ checkpoints: 22, calls: 25 });
    const first = await browser.open(path);
    assert.deepEqual(titlesOf(first), ['Checkout', ...down(22, 3)]);
    assert.match(
      first.cards.at(-1) ?? '',
      /Not on this page: 2 older checkpoints, and 6 calls of the reports above\. .*Approve/,
    );
    const second = await first.follow('Older');
    assert.deepEqual(titlesOf(second), down(2, 1));
    assert.match(second.text, /step 1 ends/);
    assert.match(
      second.cards.at(-1) ?? '',
      /Not on this page: 20 newer checkpoints with the checkout, and 5 calls of the reports above\. .*Approve/,
    );
    assert.match(second.text, /call-20-of-25 and 5 more/);
    assert.doesNotMatch(second.text, /call-21-of-25/);
    const checkpoint = await second.follow('All 25 calls of checkpoint 1');
    assert.equal(checkpoint.title, 'Checkpoint 1');
    assert.match(checkpoint.text, /step 1 ends.*call-1-of-25 .*call-25-of-25/);
    assert.equal((await checkpoint.follow('The review')).title, 'Review');
    assert.deepEqual(titlesOf(await second.follow('Newer')), titlesOf(first));
    assert.match((await first.follow('All 26 calls of the checkout')).text, /call-26-of-26/);
    assert.deepEqual(titlesOf(await browser.open(`${path}?page=99999`)), down(2, 1));
    for (const page of ['0', '-1', 'x', ''])
      assert.deepEqual(titlesOf(await browser.open(`${path}?page=${page}`)), titlesOf(first));
    for (const part of ['0', '23', 'x']) assert.equal((await browser.open(`${path}?report=${part}`)).status, 404);
    assert.match((await second.press('Approve')).notices[0] ?? '', /^Approved/);
  });

  it('are seen by members without buttons', async () => {
    const { reviewId } = await reviewed(operator);
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open('/dashboard');
    assert.deepEqual(page.buttons(reviewId), []);
    assert.match(page.text, /An owner or administrator decides this; you are a member/);
    const { action, values } = (await browser.open('/dashboard')).formOf('Block the agent');
    const refused = await member.send(action, values);
    assert.equal(refused.status, 403);
    assert.match(refused.notices[0] ?? '', /role admin/);
    assert.equal((await reviewOf(reviewId)).status, 'pending');
  });
});
